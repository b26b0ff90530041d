"""Measures ScanMill against what people do today, and against what the machine can do at best.

    python3 bench.py [--job NAME]… [--frames N] [--rounds N] [--capture FOLDER] [--scaling] [--json FILE]

Makes its own captures with `scanmill sample`, runs every job in turn with its rivals, so that a busy machine hurts all of
them alike, and prints a table: user + system CPU seconds (the median of the rounds), the largest process's peak memory, and
ratios. A limit is plain C around the same libraries (limits.c), a bare decode, or a copy; a rival is a Python script with
the usual libraries (rivals.py), which are installed into a virtual environment of their own below .build. Rivals take as
many cores as they like, and so does ScanMill beside them; a limit takes one, and is compared with ScanMill's `--jobs 1`,
since cores that work side by side slow each other down.
"""
import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WORK = os.path.join(ROOT, '.build', 'bench')
# As it is installed, with Swift's libraries inside: they take twice as long to begin from outside.
TOOL = os.path.join(ROOT, '.build-install', 'release', 'scanmill')
LIMITS = os.path.join(WORK, 'limits')
PACKAGES = ['numpy', 'open3d', 'opencv-python-headless', 'matplotlib']


class Run:
    """What one command cost."""

    def __init__(self, command):
        command = [part.replace(OUT, fresh_folder()) for part in command]
        began = time.monotonic()
        with open(os.path.join(WORK, 'log'), 'w') as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=ROOT)
            # rusage of the process and of all that it waited for: ScanMill's capture processes, their ffmpeg.
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
        self.wall = time.monotonic() - began
        self.cpu = usage.ru_utime + usage.ru_stime
        self.memory = usage.ru_maxrss / 1024
        if status != 0:
            with open(os.path.join(WORK, 'log')) as log:
                sys.exit(f'{" ".join(command)[:300]} ended with {status}:\n{log.read()[-2000:]}')


# Stands in commands for the folder into which this one run writes.
OUT = '@out@'


def fresh_folder():
    """A new folder each time, and none is removed before the end: ext4 takes long to make files where others were just
    deleted, and the next command would pay for it."""
    fresh_folder.count += 1
    path = os.path.join(WORK, 'out', str(fresh_folder.count))
    os.makedirs(path)
    return path


fresh_folder.count = 0


def python():
    """The rivals' interpreter, made on demand; None when it cannot be installed."""
    venv = os.path.join(WORK, 'venv')
    interpreter = os.path.join(venv, 'bin', 'python')
    ready = os.path.join(venv, 'ready')
    if not os.path.exists(ready):
        print('installing', ', '.join(PACKAGES), file=sys.stderr)
        try:
            subprocess.run([sys.executable, '-m', 'venv', '--clear', venv], check=True, capture_output=True)
            subprocess.run(
                [interpreter, '-m', 'pip', 'install', '--quiet', '--retries', '1'] + PACKAGES, check=True,
                capture_output=True, timeout=600)
        except (subprocess.SubprocessError, OSError) as error:
            print(f'SKIPPED: the rivals, which cannot be installed: {error}', file=sys.stderr)
            return None
        open(ready, 'w').close()
    return interpreter


class Captures:
    """The captures that jobs read, made when the first job asks."""

    def __init__(self, frames, own):
        self.frames = frames
        self.own = own

    # The made-up pattern is noisier than a real room: at this quality a picture takes some 50 KB, like those of a device.
    JPEG_QUALITY = ['--set', 'write-staging.quality=72']
    # For long captures of which only depth is looked at.
    TINY_PICTURES = ['--set', 'synthesize.picture-width=32', '--set', 'synthesize.picture-height=24']

    def sample(self, kind, frames, *options):
        path = os.path.join(WORK, f'{kind}{frames}')
        if not os.path.exists(path):
            subprocess.run([TOOL, 'sample', path, '--frames', str(frames), *options], check=True)
        return path

    def pictures(self):
        return self.own or self.sampled_pictures()

    def sampled_pictures(self):
        return self.sample('pictures', self.frames, *self.JPEG_QUALITY)

    def video(self):
        return self.sample('video', self.frames, '--rgb', 'mp4')

    def sens(self):
        folder = self.sample('sens', self.frames, '--format', 'sens')
        return os.path.join(folder, os.path.basename(folder) + '.sens')

    def distorted(self):
        """A dataset whose lens distorts, as nerfstudio's tools leave most of them."""
        path = self.sample('distorted', self.frames, '--format', 'transforms', '--set', 'write-transforms.quality=72')
        description = os.path.join(path, 'transforms.json')
        with open(description, encoding='utf-8') as file:
            dataset = json.load(file)
        dataset.update(camera_model='OPENCV', k1=0.058, k2=-0.081, p1=-0.001, p2=0.0002)
        with open(description, 'w', encoding='utf-8') as file:
            json.dump(dataset, file)
        return path

    def base(self, capture):
        return os.path.join(capture, os.path.basename(capture.rstrip('/')))

    def facts(self, capture):
        """The box and the cameras, scaled to the depth map, as numbers: what limits.c needs of a capture."""
        import array
        import math
        path = self.base(WORK + '/' + os.path.basename(capture)) + '.facts'
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(os.path.join(capture, 'boundingbox.json')) as file:
            box = json.load(file)
        corners = box['positions']
        at = lambda name: [corners[name][axis] for axis in 'xyz']
        origin = at('bot_left_front')
        edges = [[b - a for a, b in zip(origin, at(name))] for name in
                 ('bot_right_front', 'top_left_front', 'bot_left_back')]
        lengths = [math.hypot(*edge) for edge in edges]
        middle = [sum(corner[axis] for corner in corners.values()) / 8 for axis in 'xyz']
        values = array.array('d')
        for edge, length in zip(edges, lengths):
            values.extend(part / length for part in edge)
        values.extend(middle)
        values.extend(length / 2 for length in lengths)
        with open(self.base(capture) + '.json') as file:
            streams = {stream['type']: stream for stream in json.load(file)['streams']}
        color = next(stream for kind, stream in streams.items() if 'color' in kind)
        size = color.get('resolution')
        with open(self.base(capture) + '.jsonl') as file:
            for line in (json.loads(line) for line in file if line.strip()):
                t, k = line['transform'], line['intrinsics']
                scale = 256 / max(size)
                values.extend([t[0], t[4], t[8], t[1], t[5], t[9], t[2], t[6], t[10], t[12], t[13], t[14]])
                values.extend([k[0] * scale, k[4] * scale, k[6] * scale, k[7] * scale])
        with open(path, 'wb') as file:
            values.tofile(file)
        return path

    def raw_streams(self, capture):
        """Depth and confidence as they are when inflated, one after the other in one file."""
        path = os.path.join(WORK, os.path.basename(capture) + '.raw')
        if not os.path.exists(path):
            with open(path, 'wb') as raw:
                for kind in ('depth', 'confidence'):
                    subprocess.run([LIMITS, 'inflate', f'{self.base(capture)}.{kind}.zlib'], check=True, stdout=raw)
        return path

    def cloud(self):
        """A large PLY: the room's points, `frames` maps of them, some 38 million for 1,000."""
        path = os.path.join(WORK, f'cloud{self.frames}.ply')
        if not os.path.exists(path):
            out = os.path.join(WORK, 'cloud-out')
            capture = self.sampled_pictures()
            subprocess.run([TOOL, 'run', pipeline('large-cloud'), capture, '-o', out, '-q', '--no-report'], check=True)
            name = os.path.basename(capture)
            os.rename(os.path.join(out, name, name + '.ply'), path)
            shutil.rmtree(out)
        return path


def pipeline(name):
    return os.path.join(HERE, 'pipelines', name + '.yaml')


class Job:
    """A pipeline, what it reads, and what it is compared with: {name: (command, the ratio to reach)}."""

    def __init__(self, name, title, source, rivals=(), limits=(), memory=None):
        self.name = name
        self.title = title
        self.source = source
        self.rivals = rivals
        self.limits = limits
        self.memory = memory

    def command(self, captures, workers=None, source=None):
        spread = ['--jobs', str(workers)] if workers else []
        capture = (source or self.source)(captures)
        return [TOOL, 'run', pipeline(self.name), capture, '-o', OUT, '-q', '--no-report', *spread]


def rival(job, source, interpreter=None):
    script = os.path.join(HERE, 'rivals.py')
    return lambda captures: [interpreter or python(), script, job, source(captures), OUT]


def plain_copy(job, source):
    """What needs no package."""
    return rival(job, source, sys.executable)


def limit(mode, *arguments):
    return lambda captures: [LIMITS, mode] + [str(part) for make in arguments for part in listed(make, captures)]


def listed(value, captures):
    value = value(captures) if callable(value) else value
    return value if isinstance(value, list) else [value]


def pictures_of(captures):
    folder = os.path.join(captures.pictures(), 'color')
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


def stream(kind):
    return lambda captures: f'{captures.base(captures.pictures())}.{kind}.zlib'


def shell(text):
    return lambda captures: ['sh', '-c', text(captures)]


PICTURES, VIDEO = Captures.pictures, Captures.video
VOXEL_LIMIT = limit('voxels', stream('depth'), stream('confidence'), lambda c: c.facts(c.pictures()), 256, 192, 0.02)
BARE_VIDEO = lambda c: ['ffmpeg', '-nostdin', '-v', 'error', '-threads', '1', '-i', c.base(c.video()) + '.mp4', '-map', '0:v:0', '-f',
                        'null', '-']


def nerfstudio(captures):
    """One ffmpeg process, a split, three scales, as nerfstudio's ns-process-data runs it."""
    out = OUT
    color = os.path.join(captures.pictures(), 'color')
    split = ';'.join(
        ['[0:v]split=4[a][b][c][d]', '[a]null[o1]'] + [
            f'[{name}]scale=iw/{factor}:ih/{factor}[o{factor}]' for name, factor in (('b', 2), ('c', 4), ('d', 8))])
    outputs = ' '.join(
        f'-map "[o{factor}]" -q:v 2 {out}/{factor}/frame_%05d.jpg' for factor in (1, 2, 4, 8))
    return (f'mkdir -p {out}/1 {out}/2 {out}/4 {out}/8 && ffmpeg -nostdin -v error -noautorotate '
            f'-pattern_type glob -i "{color}/*.jpg" -filter_complex "{split}" {outputs}')


JOBS = [
    Job('voxels', 'depth, masks, box, 2 cm voxels, PLY', PICTURES, memory=64,
        rivals=[('numpy + Open3D', rival('voxels', PICTURES), 1 / 7)],
        limits=[('inflate + kernels in C', VOXEL_LIMIT, 1.3)]),
    Job('voxels-color', 'the same with colour from JPEG', PICTURES, memory=96,
        rivals=[('numpy + Open3D + OpenCV', rival('voxels-color', PICTURES), None)],
        limits=[('inflate + kernels + decoding', [(VOXEL_LIMIT, 1.3), (limit('jpeg', pictures_of), 1.1)], 1)]),
    Job('mesh', 'depth, masks, TSDF fusion with colour at 2 cm, mesh as PLY', PICTURES,
        rivals=[('Open3D', rival('mesh', PICTURES), None)]),
    Job('depth-png', 'depth to 16-bit PNG', PICTURES, memory=64,
        rivals=[("MultiScan's decoder", rival('depth-png', PICTURES), 1 / 6)]),
    Job('blur-pictures', 'blur scores of JPEGs', PICTURES, memory=64,
        rivals=[('OpenCV', rival('blur-pictures', PICTURES), 0.65)],
        limits=[('bare decode', limit('jpeg', pictures_of), 1.15)]),
    Job('blur-video', 'blur scores of a video, bt601', VIDEO,
        rivals=[('OpenCV', rival('blur-video', VIDEO), None)], limits=[('bare decode', BARE_VIDEO, 1.2)]),
    Job('blur-video-luma', 'blur scores of a video, luma', VIDEO,
        limits=[('bare decode', BARE_VIDEO, 1.1)]),
    Job('thinned-video', 'the sharpest fifth of a video as NeRF dataset and COLMAP model', VIDEO, memory=96,
        limits=[('bare decode', BARE_VIDEO, None)]),
    Job('transforms', 'NeRF dataset, pictures copied', PICTURES,
        limits=[('copy + SHA-256 + fsync', plain_copy('copy-pictures', PICTURES), 1.2)]),
    Job('transforms-downscaled', 'the same with three downscales', PICTURES,
        rivals=[("nerfstudio's ffmpeg", shell(nerfstudio), 1 / 5)]),
    Job('undistort', 'NeRF dataset of a lens that distorts, its pictures undistorted', Captures.distorted, memory=64,
        rivals=[('OpenCV', rival('undistort', Captures.distorted), None)]),
    Job('staging', 'staging format of a video capture', VIDEO, memory=96,
        limits=[('zlib level 6, one core',
                 limit('deflate', lambda c: c.raw_streams(c.video()), OUT + '/deflated', 6), 1.2)]),
    Job('sens-images', '.sens to pictures', Captures.sens,
        rivals=[('Python', plain_copy('sens-images', Captures.sens), None)],
        limits=[('copy + SHA-256 + fsync', plain_copy('copy-sens', Captures.sens), 1.2)]),
    Job('cloud', 'crop and voxels of a large PLY', Captures.cloud, memory=128,
        rivals=[('Open3D', rival('cloud', Captures.cloud), 1 / 8)]),
]


ALL_CORES, ONE_CORE = 'ScanMill', 'ScanMill, one worker'


def measure(job, captures, rounds, has_rivals):
    """Every command of a job once a round, in turn."""
    commands = {ALL_CORES: [(job.command(captures), 1)]}
    if job.limits:
        commands[ONE_CORE] = [(job.command(captures, workers=1), 1)]
    for name, make, _ in [*(job.rivals if has_rivals else ()), *job.limits]:
        parts = make if isinstance(make, list) else [(make, 1)]
        commands[name] = [(part(captures), factor) for part, factor in parts]
    costs = {name: [] for name in commands}
    for _ in range(rounds):
        for name, parts in commands.items():
            runs = [(Run(command), factor) for command, factor in parts]
            costs[name].append((
                sum(run.cpu * factor for run, factor in runs), max(run.memory for run, _ in runs),
                sum(run.wall for run, _ in runs)))
    return {name: [statistics.median(column) for column in zip(*rows)] for name, rows in costs.items()}


def scaling(captures, rounds):
    """What two workers are worth, what twenty times the frames cost, and how long the tool takes to begin."""
    jobs = {job.name: job for job in JOBS}
    depth = lambda times: lambda captures: captures.sample('depth', times * captures.frames, *captures.TINY_PICTURES)
    rows = []
    # A thousand frames' depth takes a third of a second, a fifth of it to begin: too little to see what a worker is worth.
    for name, source in (('blur-pictures', PICTURES), ('voxels', depth(10)), ('voxels-color', PICTURES)):
        wall = {1: [], 2: []}
        for _ in range(rounds):
            for workers in wall:
                wall[workers].append(Run(jobs[name].command(captures, workers, source)).wall)
        one, two = (statistics.median(wall[workers]) for workers in (1, 2))
        rows.append([f'two workers: {jobs[name].title}', f'{one:.2f} s', f'{two:.2f} s', f'{one / two:.2f} × as fast'])
    short, long = (Run(jobs['voxels'].command(captures, 2, depth(times))) for times in (1, 20))
    rows.append([f'voxels: {captures.frames} and {20 * captures.frames} frames', f'{short.cpu:.2f} s CPU',
                 f'{long.cpu:.2f} s CPU', f'{long.cpu / short.cpu:.1f} ×, memory {long.memory / short.memory:.2f} ×'])
    for arguments in (['--help'], ['stages'], ['check', pipeline('voxels')]):
        walls = [Run([TOOL, *arguments]).wall for _ in range(10)]
        rows.append([f'scanmill {arguments[0]}', '', f'{statistics.median(walls) * 1000:.0f} ms', ''])
    return rows


def rows_of(job, costs):
    title = job.title
    for own, others in ((ALL_CORES, job.rivals), (ONE_CORE, job.limits)):
        if own not in costs:
            continue
        cpu, memory, _ = costs[own]
        goal = f' (≤ {job.memory})' if job.memory else ''
        yield [title, own, f'{cpu:.2f} s', f'{memory:.0f} MB{goal}', '', '']
        title = ''
        for name, _, goal in others:
            if name not in costs:
                continue
            other, memory, _ = costs[name]
            yield ['', name, f'{other:.2f} s', f'{memory:.0f} MB', ratio(cpu / other), f'≤ {ratio(goal)}' if goal else '']


def ratio(value):
    if value < 0.5:
        return f'1/{1 / value:.1f}'.removesuffix('.0')
    return f'{value:.2f}'


def print_table(head, rows):
    rows = [head, *rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    for number, row in enumerate(rows):
        print('| ' + ' | '.join(cell.ljust(width) for cell, width in zip(row, widths)) + ' |')
        if number == 0:
            print('| ' + ' | '.join('-' * width for width in widths) + ' |')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--job', action='append', choices=[job.name for job in JOBS], help='only this job')
    parser.add_argument('--frames', type=int, default=1000)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--capture', help="a MultiScan capture of one's own with JPEG frames, depth and a box")
    parser.add_argument('--no-rivals', action='store_true', help='leave out what needs Python packages')
    parser.add_argument('--scaling', action='store_true', help='also measure two workers, long captures and the start')
    parser.add_argument('--json', help='write all figures to this file as well')
    options = parser.parse_args()
    shutil.rmtree(os.path.join(WORK, 'out'), ignore_errors=True)
    os.makedirs(WORK, exist_ok=True)
    subprocess.run(['cc', '-O3', '-o', LIMITS, os.path.join(HERE, 'limits.c'), '-lisal', '-lz', '-ljpeg', '-lm'], check=True)
    has_rivals = not options.no_rivals and python() is not None
    captures = Captures(options.frames, options.capture and os.path.abspath(options.capture))
    rows, figures = [], {}
    for job in JOBS:
        if options.job and job.name not in options.job:
            continue
        print(f'{job.name} …', file=sys.stderr)
        costs = measure(job, captures, options.rounds, has_rivals)
        figures[job.name] = {name: dict(zip(('cpu', 'memory', 'wall'), cost)) for name, cost in costs.items()}
        rows += rows_of(job, costs)
    print_table(['job', 'what ran', 'CPU', 'peak memory', 'ScanMill : it', 'to reach'], rows)
    if options.scaling:
        print()
        print_table(['', 'first', 'second', ''], scaling(captures, options.rounds))
    shutil.rmtree(os.path.join(WORK, 'out'), ignore_errors=True)
    if options.json:
        with open(options.json, 'w') as file:
            json.dump(figures, file, indent=1)


if __name__ == '__main__':
    main()
