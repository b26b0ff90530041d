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
import sys
from posixpath import dirname, join, normpath, relpath

sys.dont_write_bytecode = True
from page import FRONT, STAGES, Page, anchor_of, pages_below, plain  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TERMS = 'terms.html'

# Stages are listed by what their verb says; a verb that is missing here comes last.
VERBS = [
    ('Reading', ['read', 'synthesize', 'turn', 'undistort', 'resize']),
    ('Choosing frames', ['select', 'filter']),
    ('Measuring and checking', ['measure', 'predict', 'report', 'check', 'correct']),
    ('Depth', ['decompress', 'mask']),
    ('Points', ['unproject', 'cull', 'voxel', 'find', 'crop', 'fit', 'scatter', 'fuse', 'sample']),
    ('Pictures', ['downscale', 'render']),
    ('Writing', ['write']),
]


class Manual:
    def __init__(self, articles):
        self.articles = articles
        self.problems = []
        self.resources = set()
        self.pages = {name: Page(self, name) for name in sorted(pages_below(articles))}

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
                title = page.title
                if section not in ('', 'Options'):
                    title = section if section.startswith('scanmill ') else f'{title}: {section.lower()}'
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


def sections(body):
    """The parts of a page below its second-level headings."""
    parts = re.split(r'<h2[^>]*>(.*?)</h2>', body, flags=re.S)
    return [(plain(heading), part) for heading, part in zip(parts[1::2], parts[2::2])]


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
