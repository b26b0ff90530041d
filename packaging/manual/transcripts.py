"""Runs the commands that an article shows, so that what stands below them is what they say.

    python3 transcripts.py [--check] SCANMILL CHECKOUT ARTICLE

Every line `$ command` of the article's ```console blocks is run, in order, in one shell, in an empty folder that has the
checkout's `pipelines/`. Where something else comes out, the article is rewritten, or with --check the difference is shown
and the end is 1. Lines may come in another order, as captures end in another order; and free space and memory are not compared.
"""
import difflib
import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r'^```console\n(.*?)^```$', re.S | re.M)


def commands_of(article):
    return [line[2:] for block in BLOCK.findall(article) for line in block.splitlines() if line.startswith('$ ')]


def outputs_of(commands, scanmill, checkout):
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(checkout, 'pipelines'), os.path.join(folder, 'pipelines'))
        os.mkdir(os.path.join(folder, '.out'))
        # A group of its own for each, in the one shell, so that `$?` is the status of the command above.
        script = ''.join(f'{{ {command}\n}} > .out/{number} 2>&1\n' for number, command in enumerate(commands))
        path = os.path.dirname(os.path.abspath(scanmill)) + os.pathsep + os.environ['PATH']
        subprocess.run(
            ['bash', '-c', script], cwd=folder, check=False, stdin=subprocess.DEVNULL,
            env={'PATH': path, 'LC_ALL': 'C.UTF-8', 'HOME': folder, 'TERM': 'dumb'})
        for number in range(len(commands)):
            with open(os.path.join(folder, '.out', str(number)), encoding='utf-8') as file:
                yield file.read()


def comparable(text):
    text = re.sub(r'[\d.]+ [kMGT]?B are free', 'space is free', text)
    return sorted(re.sub(r'[\d.]+ [kMGT]?B of memory', 'some memory', text).splitlines())


def told_anew(article, outputs):
    def block(match):
        parts = re.split(r'^(\$ .*\n)', match[1], flags=re.M)
        for at in range(1, len(parts), 2):
            said = next(outputs)
            said += '' if said.endswith('\n') or not said else '\n'
            if comparable(parts[at + 1]) != comparable(said):
                parts[at + 1] = said
        return '```console\n' + ''.join(parts) + '```'

    return BLOCK.sub(block, article)


def main(check, scanmill, checkout, path):
    with open(path, encoding='utf-8') as file:
        old = file.read()
    new = told_anew(old, iter(list(outputs_of(commands_of(old), scanmill, os.path.abspath(checkout)))))
    if new == old:
        return 0
    if check:
        print(''.join(difflib.unified_diff(
            old.splitlines(True), new.splitlines(True), os.path.basename(path), 'what the commands say')))
        return 1
    with open(path, 'w', encoding='utf-8') as file:
        file.write(new)
    return 0


if __name__ == '__main__':
    words = [word for word in sys.argv[1:] if word != '--check']
    sys.exit(main('--check' in sys.argv, *words))
