"""One page of the manual: its Markdown as HTML, and what other pages need to know of it."""
import html
import os
import re
import subprocess
from posixpath import dirname, join, normpath, relpath

FRONT, STAGES = 'ScanStages.md', 'Stages/stages.md'


class Page:
    """A page's HTML body, and what others need to know of it."""

    def __init__(self, manual, name):
        self.manual, self.name = manual, name
        self.target = 'index.html' if name == FRONT else name[:-len('.md')] + '.html'
        self.ids, self.anchored = set(), []
        # For the index: the term as HTML, its anchor, and the section that it stands in.
        self.terms, self.section = [], ''
        with open(os.path.join(manual.articles, name), encoding='utf-8') as file:
            text = file.read()
        directive = re.search(r'^@[A-Z]\w+', without_code(text), re.M)
        if directive:
            manual.say(name, f'the manual does not know the directive {directive[0]}')
        body = markdown(text)
        if '<!-- raw HTML omitted -->' in body:
            manual.say(name, 'raw HTML would be lost: put it between backticks, or write \\<')
        body = re.sub(
            r'<(?P<tag>h[1-6])>(?P<text>.*?)</(?P=tag)>|<tr>\n<td><code>(?P<name>.*?)</code></td>',
            lambda match: self.heading(match) if match['tag'] else self.row(match), body, flags=re.S)
        body = re.sub(r'<a href="([^"]*)">(.*?)</a>', self.link, body, flags=re.S)
        body = re.sub(r'<img src="([^"]*)"', self.image, body)
        body = re.sub(r'<table>(.*?)</table>', ticks, body, flags=re.S)
        body = body.replace('<table>', '<div class="table" tabindex="0" role="region" aria-label="table"><table>')
        body = body.replace('</table>', '</table></div>')
        body = re.sub(r'<pre><code class="language-(\w+)">(.*?)</code>', colour, body, flags=re.S)
        self.body = body.replace('<pre>', '<pre tabindex="0">')
        title = re.search(r'<h1[^>]*>(.*?)</h1>', self.body, re.S)
        if not title:
            manual.say(name, 'has no first heading')
        self.title = plain(title[1]) if title else name

    def name_place(self, text):
        """An anchor as GitHub makes them, so that links work there too."""
        anchor = first = anchor_of(plain(text))
        number = 0
        while anchor in self.ids:
            number += 1
            anchor = f'{first}-{number}'
        self.ids.add(anchor)
        return anchor

    def heading(self, match):
        tag, text = match['tag'], match['text'].strip()
        anchor = self.name_place(text)
        if tag == 'h1':
            self.terms.append((text, '', ''))
        elif tag == 'h2':
            self.section = re.sub(r'^\d+\. ', '', plain(text))
            # A stage's pages have the same parts, and the front page's are the navigation.
            if self.is_article:
                self.terms.append((re.sub(r'^\d+\. ', '', text), anchor, ''))
        return f'<{tag} id="{anchor}">{text}</{tag}>'

    def row(self, match):
        """Rows that begin with a name can be linked to: an option, a format, an argument."""
        anchor = self.name_place(match['name'])
        if self.in_reference:
            # Of `-o, --output OUT` the long name; what stands in capitals is a value.
            names = re.findall(r'--[\w-]+', match['name']) or re.findall(r'^[a-z0-9].*', match['name'])
            for name in names:
                self.terms.append((f'<code>{name}</code>', anchor, self.section))
        return f'<tr id="{anchor}">\n<td><code>{match["name"]}</code></td>'

    @property
    def in_reference(self):
        return dirname(self.name) == dirname(STAGES)

    @property
    def is_article(self):
        return self.name != FRONT and (not self.in_reference or self.name.endswith('/commands.md'))

    def link(self, match):
        href, text = html.unescape(match[1]), match[2]
        if href.startswith('doc:'):
            # DocC names a page without its folder, and shows its title.
            stem = href[len('doc:'):]
            page = next((p for p in pages_below(self.manual.articles) if os.path.basename(p) == f'{stem}.md'), None)
            if page is None:
                self.manual.say(self.name, f'there is no page for <{href}>')
                return text
            text = title_of(os.path.join(self.manual.articles, page)) if text == href else text
            return f'<a href="{self.relative(target_of(page))}">{text}</a>'
        if re.match(r'(https?|mailto):', href):
            return f'<a href="{html.escape(href)}">{text}</a>'
        path, _, anchor = href.partition('#')
        source = normpath(join(dirname(self.name), path)) if path else self.name
        if not os.path.isfile(os.path.join(self.manual.articles, source)) or source.startswith('..'):
            self.manual.say(self.name, f'the link to {href} leads nowhere')
            return text
        if not source.endswith('.md'):
            self.manual.resources.add(source)
            return match[0]
        if anchor:
            self.anchored.append((target_of(source), anchor))
        where = (self.relative(target_of(source)) if path else '') + (f'#{anchor}' if anchor else '')
        return f'<a href="{where}">{text}</a>'

    def image(self, match):
        source = normpath(join(dirname(self.name), html.unescape(match[1])))
        if not os.path.isfile(os.path.join(self.manual.articles, source)) or source.startswith('..'):
            self.manual.say(self.name, f'there is no picture {match[1]}')
        self.manual.resources.add(source)
        return f'<img loading="lazy" src="{match[1]}"'

    def relative(self, target):
        return html.escape(relpath(target, dirname(self.target) or '.'))


def pages_below(articles):
    for folder, _, files in os.walk(articles):
        for file in files:
            if file.endswith('.md'):
                yield os.path.relpath(os.path.join(folder, file), articles)


def target_of(name):
    return 'index.html' if name == FRONT else name[:-len('.md')] + '.html'


def title_of(path):
    with open(path, encoding='utf-8') as file:
        return html.escape(file.readline().lstrip('#').strip().strip('`'))


def markdown(text):
    command = ['cmark-gfm', '--extension', 'table', '--extension', 'strikethrough', '--validate-utf8']
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True, encoding='utf-8').stdout


def without_code(text):
    return re.sub(r'^```.*?^```', '', text, flags=re.S | re.M)


def plain(fragment):
    return html.unescape(re.sub(r'<[^>]*>', '', fragment)).strip()


def anchor_of(text):
    return re.sub(r'[^\w\- ]', '', text.lower()).strip().replace(' ', '-') or 'signs'


def ticks(match):
    """Columns that hold nothing but ticks are narrow: their headings stand upright."""
    rows = [re.findall(r'<t[hd][^>]*>(.*?)</t[hd]>', row, re.S) for row in re.findall(r'<tr.*?</tr>', match[1], re.S)]
    narrow = [set(column[1:]) in ({'●'}, {'●', ''}) for column in zip(*rows)]

    def row(match):
        at = iter(narrow)
        return re.sub(r'<(t[hd])>', lambda cell: f'<{cell[1]}{" class=tick" if next(at) else ""}>', match[0])

    return re.sub(r'<tr.*?</tr>', row, match[0], flags=re.S)


def colour(match):
    """What a person types, and what is only a remark."""
    language, code = match.groups()
    if language == 'console':
        code = re.sub(r'^([$#] )(.*)$', r'<i>\1</i><b>\2</b>', code, flags=re.M)
    if language in ('yaml', 'sh', 'python'):
        code = re.sub(r'(^|\s)(# .*)$', r'\1<i>\2</i>', code, flags=re.M)
    if language == 'swift':
        code = re.sub(r'(^\s*)(//.*)$', r'\1<i>\2</i>', code, flags=re.M)
    return f'<pre><code class="language-{language}">{code}</code>'
