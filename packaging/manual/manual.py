"""Renders the manual's Markdown as plain static HTML that opens from disk.

    python3 manual.py ARTICLES OUT

ARTICLES is the folder of Markdown pages, whose `ScanStages.md` is the front page: its lists are the navigation. OUT is
made anew. Every page becomes one .html beside its siblings, with relative links only and no script. Ends with 1, with
nothing left in OUT, when a link or an anchor leads nowhere, a page is linked from nowhere, or something in a page would
be lost; with 77 when there is no cmark-gfm.
"""
import html
import os
import re
import shutil
import string
import subprocess
import sys
from posixpath import dirname, join, normpath, relpath

HERE = os.path.dirname(os.path.abspath(__file__))
FRONT, STAGES, TERMS = 'ScanStages.md', 'Stages/stages.md', 'terms.html'

# Stages are listed by what their verb says; a verb that is missing here comes last.
VERBS = [
    ('Reading', ['read', 'synthesize', 'turn']),
    ('Choosing frames', ['select', 'filter']),
    ('Measuring and checking', ['measure', 'predict', 'report', 'check']),
    ('Depth', ['decompress', 'mask']),
    ('Points', ['unproject', 'cull', 'voxel', 'find', 'crop']),
    ('Pictures', ['downscale', 'render', 'draw']),
    ('Writing', ['write']),
]


class Manual:
    def __init__(self, articles):
        self.articles = articles
        self.problems = []
        self.resources = set()
        names = (
            os.path.relpath(os.path.join(folder, file), articles).replace(os.sep, '/')
            for folder, _, files in os.walk(articles) for file in files if file.endswith('.md'))
        self.pages = {name: Page(self, name) for name in sorted(names)}

    def say(self, page, what):
        self.problems.append(f'{page}: {what}')

    def render(self, out):
        if FRONT not in self.pages:
            return self.say(FRONT, 'there is no such page')
        navigation = self.navigation()
        order = [page for _, pages in navigation for page in pages]
        for name in sorted(set(self.pages) - {page.name for page in order} - {FRONT}):
            self.say(name, 'is linked from no list of the front page, and is no stage')
        self.check_anchors()
        if self.problems:
            return
        with open(os.path.join(HERE, 'page.html'), encoding='utf-8') as file:
            template = string.Template(file.read())
        texts = {page.target: (page.title, page.body) for page in self.pages.values()}
        texts[TERMS] = ('Index', self.terms())
        targets = ['index.html'] + [page.target for page in order] + [TERMS]
        for target, (title, body) in texts.items():
            here = lambda path: html.escape(relpath(path, dirname(target) or '.'))
            at = targets.index(target)
            around = [
                f'<a rel="{rel}" href="{here(targets[to])}"><small>{word}</small>{html.escape(texts[targets[to]][0])}</a>'
                for rel, word, to in [('prev', 'Before', at - 1), ('next', 'Next', at + 1)]
                if 0 <= to < len(targets)]
            text = template.substitute(
                title=html.escape(title), body=body, style=here('manual.css'), front=here('index.html'),
                navigation=navigation_html(navigation, target, here), around='\n'.join(around))
            write(out, target, text)
        for file in sorted(self.resources):
            copy(os.path.join(self.articles, file), out, file)
        copy(os.path.join(HERE, 'manual.css'), out, 'manual.css')

    def navigation(self):
        """The groups of pages, in the order in which one would read them."""
        groups, stages = [], []
        for heading, part in sections(self.pages[FRONT].body):
            pages = []
            for href in re.findall(r'<a href="([^"#]+)', part):
                page = self.by_target(href)
                if page and page not in pages:
                    pages.append(page)
            if pages:
                groups.append((heading, pages))
        if STAGES in self.pages:
            seen = {page.name for _, pages in groups for page in pages}
            for href in re.findall(r'<a href="([^"#]+)', self.pages[STAGES].body):
                page = self.by_target(normpath(join(dirname(STAGES), href)))
                if page and page.name not in seen and page not in stages:
                    stages.append(page)
        verbs = {verb: title for title, list in VERBS for verb in list}
        of = lambda page: verbs.get(page.title.split('-')[0], 'More stages')
        for title in [title for title, _ in VERBS] + ['More stages']:
            pages = [page for page in stages if of(page) == title]
            if pages:
                groups.append((title, pages))
        return groups

    def by_target(self, target):
        return next((page for page in self.pages.values() if page.target == target), None)

    def check_anchors(self):
        for page in self.pages.values():
            for target, anchor in page.anchored:
                if anchor not in self.by_target(target).ids:
                    self.say(page.name, f'#{anchor} is no heading of {target}')

    def terms(self):
        """What one would look up at the end of a book: stages, their options, formats, commands, headings."""
        found = {}
        for page in self.pages.values():
            for term, anchor, section in page.terms:
                where = page.target + (f'#{anchor}' if anchor else '')
                title = page.title if section in ('', 'Options') else section
                found.setdefault(term, []).append((where, title))
        letters = {}
        for term in sorted(found, key=lambda term: (plain(term).lower().lstrip('-'), term)):
            letter = plain(term).lstrip('-')[:1].upper()
            letters.setdefault(letter if letter.isalpha() else '#', []).append(term)
        jump = ' '.join(f'<a href="#{anchor_of(letter)}">{letter}</a>' for letter in letters)
        body = f'<h1 id="index">Index</h1>\n<p class="letters">{jump}</p>\n'
        for letter, terms in letters.items():
            body += f'<h2 id="{anchor_of(letter)}">{letter}</h2>\n<ul class="terms">\n'
            for term in terms:
                links = [f'<a href="{html.escape(where)}">{html.escape(title)}</a>' for where, title in found[term]]
                if len(links) == 1 and found[term][0][1] == plain(term):
                    body += f'<li>{links[0]}</li>\n'
                else:
                    body += f'<li>{term}: {", ".join(links)}</li>\n'
            body += '</ul>\n'
        return body


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
            page = next((p for p in os_pages(self.manual.articles) if os.path.basename(p) == f'{stem}.md'), None)
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


def os_pages(articles):
    for folder, _, files in os.walk(articles):
        for file in sorted(files):
            yield os.path.relpath(os.path.join(folder, file), articles).replace(os.sep, '/')


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


def sections(body):
    """The parts of a page below its second-level headings."""
    parts = re.split(r'<h2[^>]*>(.*?)</h2>', body, flags=re.S)
    return [(plain(heading), part) for heading, part in zip(parts[1::2], parts[2::2])]


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
    if language in ('console', 'sh'):
        code = re.sub(r'^([$#] )(.*)$', r'<i>\1</i><b>\2</b>', code, flags=re.M)
    if language in ('yaml', 'sh', 'python'):
        code = re.sub(r'(^|\s)(# .*)$', r'\1<i>\2</i>', code, flags=re.M)
    if language == 'swift':
        code = re.sub(r'(^\s*)(//.*)$', r'\1<i>\2</i>', code, flags=re.M)
    return f'<pre><code class="language-{language}">{code}</code>'


def navigation_html(groups, target, here):
    parts = []
    for title, pages in groups:
        items = ''.join(
            f'<li><a href="{here(page.target)}"{" aria-current=page" if page.target == target else ""}>'
            f'{html.escape(page.title)}</a></li>\n' for page in pages)
        parts.append(f'<h2>{html.escape(title)}</h2>\n<ul>\n{items}</ul>')
    current = ' aria-current=page' if target == TERMS else ''
    return '\n'.join(parts) + f'\n<h2>Look up</h2>\n<ul>\n<li><a href="{here(TERMS)}"{current}>Index</a></li>\n</ul>'


def write(out, name, text):
    path = os.path.join(out, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def copy(source, out, name):
    path = os.path.join(out, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    shutil.copyfile(source, path)


def main(articles, out):
    if shutil.which('cmark-gfm') is None:
        print('there is no cmark-gfm: install the package of that name', file=sys.stderr)
        return 77
    if os.path.isdir(out):
        if os.listdir(out) and not os.path.exists(os.path.join(out, 'manual.css')):
            print(f'{out} holds something that is no manual; nothing was written', file=sys.stderr)
            return 1
        shutil.rmtree(out)
    manual = Manual(articles)
    manual.render(out)
    for problem in manual.problems:
        print(f'error: {problem}', file=sys.stderr)
    if not manual.problems:
        print(f'{len(manual.pages) + 1} pages in {out}')
    return 1 if manual.problems else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
