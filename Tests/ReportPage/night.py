"""Makes an OUT folder as a night of many captures leaves it, without running one: receipts, failure notes, run records.

night.py OUT COUNT [--strip STRIP.jpg] [--earlier N]: COUNT captures of five devices with measurements as the measuring
stages write them, and planted faults whose ids say what they are. STRIP stands in for every capture's kept pictures (six,
side by side). The same arguments give the same files.
"""
import argparse
import json
import math
import os
import random
import shutil

STAGES = ["read", "measure-blur", "measure-motion", "report-coverage", "filter-blur", "decompress", "measure-depth",
          "check-geometry", "unproject", "write-ply"]
FAULTS = ["blurred", "half-covered", "too-fast", "wrong-axes", "jump", "no-depth", "still", "truncated", "uneven"]


def spread(values):
    values = sorted(values)
    at = lambda share: round(values[min(len(values) - 1, int(share * len(values)))], 4)
    return {"lowest": at(0), "median": at(0.5), "p90": at(0.9), "highest": at(1)}


def path(rng, frames, radius, speed, turns):
    track = []
    for n in range(min(frames, 256)):
        angle = 2 * math.pi * turns * n / min(frames, 256) + 0.3
        r = radius * (1 + 0.12 * math.sin(3 * angle + rng.random() * 0.2))
        v = speed * (0.7 + 0.5 * abs(math.sin(2 * angle)) + rng.random() * 0.1)
        track.append([n, round(r * math.cos(angle), 4), round(r * math.sin(angle), 4), round(v, 4)])
    return track


def seen(faces, frames):
    """A side is in more pictures than are aimed at it."""
    views = {face: 2 * faces[face] for face in ["front", "left", "right", "bottom", "top", "back"]}
    shown = any(views.values())
    return {"sides": {face: {"views": n, "share": 1 if n else 0, **({"nearest": 0.7} if n else {})} for face, n in views.items()},
            "goal": 3, "pictures": {"all": frames if shown else 0, "part": 0, "none": 0 if shown else frames},
            "ring": {"gap": 190 if not views["back"] else 12, "from": 88, "to": 278 if not views["back"] else 100}}


def receipt(number, name, device, fault, rng):
    frames = 180 + rng.randrange(120)
    base = 55 if fault == "blurred" else 420 + rng.gauss(0, 45)
    scores = [{"frame": n, "score": round(max(3, base * (1 + 0.35 * math.sin(n / 9)) + rng.gauss(0, base * 0.12)), 1)}
              for n in range(frames)]
    limit = 300
    dropped = [{"frame": s["frame"], "stage": "filter-blur",
                "reason": "sharpness %s is under %s" % (s["score"], limit)} for s in scores if s["score"] < limit]
    bad = rng.randrange(3)
    for n in range(bad):
        dropped.append({"frame": frames + n, "stage": "read", "reason": "the depth stream has only %d frames" % frames})
    source = frames + bad
    speed = 2.3 if fault == "too-fast" else 0.45 + rng.random() * 0.1
    radius = 0.02 if fault == "still" else 0.8 + rng.random() * 0.2
    turns = 0.45 if fault == "half-covered" else 1.05
    track = path(rng, frames, radius, speed, turns)
    half = 0.3
    faces = {"front": 60, "left": 48, "right": 52, "back": 0 if fault == "half-covered" else 45, "top": 26, "bottom": 0,
             "miss": 12}
    for face in ["front", "left", "right", "top"]:
        faces[face] += rng.randrange(20)
    if fault == "wrong-axes":
        faces = {face: 0 for face in faces}
        faces["miss"] = frames
    columns = 24
    views = [[0 if row > 3 or (turns < 1 and column > 12) else rng.randrange(9) for column in range(columns)]
             for row in range(6)]
    share = 0.2 if fault == "no-depth" else 0.82 + rng.random() * 0.08
    pixels = 256 * 192 * frames
    verdict = "fail" if fault == "wrong-axes" else "pass"
    counts = {
        "read": {},
        "measure-blur": {"scores": scores},
        "measure-motion": {
            "path-length-m": round(2 * math.pi * radius * turns, 3), "seconds": round(frames / 30, 2),
            "speed-m-per-s": spread([t[3] for t in track]),
            "turning-deg-per-s": spread([20 + rng.random() * 20 for _ in range(20)]),
            "too-fast": sum(1 for t in track if t[3] > 1), "too-slow": 7 if number % 4 == 0 else 0,
            "limits": {"too-fast": 1.0, "too-slow": 0.0, "too-fast-turning": 90.0, "too-slow-turning": 2.0},
            "jumps": [{"frame": 77, "metres": 0.42, "degrees": 31}] if fault == "jump" else [],
            "jump-count": 1 if fault == "jump" else 0, "lost-tracking": 6 if fault == "jump" else 0,
            "track": track, "box-outline": [[-half, -half], [half, -half], [half, half], [-half, half]]},
        "report-coverage": {**seen(faces, frames), "faces": faces, "aim-goal": 10, "sphere": {"rows": 6, "columns": columns, "views": views}},
        "filter-blur": {"scores": scores, "longest-dropped-run": 3},
        "decompress": {"frames": frames - len(dropped) + bad},
        "measure-depth": {
            "depth-m": {"lowest": 0.21, "p05": 0.4, "median": round(1.1 + rng.gauss(0, 0.05), 3), "p95": 2.4,
                        "highest": 4.9},
            "histogram": {"from": 0, "step": 0.1, "pixels": [0, 1, 2]}, "share-with-depth": round(share, 4),
            "confidence": {"low": pixels // 10, "medium": pixels // 5, "high": pixels * 7 // 10}},
        "check-geometry": {"verdict": verdict, "reason": "the median relative error is 0.41, and 0.008 with OpenCV's axes"
                           if fault == "wrong-axes" else "the median relative error is 0.006", "pairs": 32,
                           "median-relative-errors": {"declared": 0.41 if fault == "wrong-axes" else 0.0058 + number % 5 * 1e-4},
                           **({"fits-better": "cv-axes"} if fault == "wrong-axes" else {})},
        "predict-blur": {"pixels": {"lowest": 0.1, "median": 0.8, "p90": 1.5, "highest": 3.1}, "correlation": -0.71},
        "unproject": {"points": 4000000}, "write-ply": {"points": 181231},
        "fuse-depth": {"small-pieces": 7, "vertices": 201345, "triangles": 398210, "area": 41.26},
        "write-mesh": {"triangles": 398210},
    }
    warnings = []
    if fault == "wrong-axes":
        warnings.append("check-geometry: the geometry is wrong: OpenCV's axes: the median relative error is 0.41")
    if fault == "jump":
        warnings.append("the camera's path jumps once, by 1.2 m between frames 40 and 41: tracking was lost and found again")
    if fault == "uneven":
        warnings.append("read: %d frames are shown at another time than their camera line says" % rng.randrange(20, 90))
    options = {"filter-blur": {"at-least": limit, "gray": "bt601"}, "write-mesh": {"file": "meshes/{id}.glb"}}
    more = {0: ["predict-blur"], 1: ["fuse-depth", "write-mesh"]}.get(number % 4, [])
    by_stage = {}
    for drop in dropped:
        by_stage[drop["stage"]] = by_stage.get(drop["stage"], 0) + 1
    return {
        "tool": "scanmill 0.1.0", "key": "%064x" % (number + 1), "uses": {},
        "capture": {"id": name, "format": "multiscan", "variant": "iOS", "device": device},
        "pipeline": PIPELINE, "inputs": [],
        "frames": {"source": source, "kept": source - len(dropped), "dropped-by": by_stage, "dropped": dropped},
        "stages": [{"name": s, "options": options.get(s, {}), "counts": counts[s]}
                   for s in STAGES + more],
        "files": [{"path": path % name, "bytes": 2718465, "sha256": "0" * 64}
                  for path in ["%s.ply"] + (["meshes/%s.glb"] if "write-mesh" in more else [])],
        "warnings": warnings}


PIPELINE = {"name": "object-nerf", "stages": [{"name": s, "options": {}} for s in STAGES]}


def write(path, value):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        json.dump(value, file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("count", type=int)
    parser.add_argument("--strip", nargs="*", default=[])
    parser.add_argument("--earlier", type=int, default=0)
    parser.add_argument("--hostile", action="store_true", help="an id and texts that try to be tags")
    arguments = parser.parse_args()
    rng = random.Random(7)
    out, state = arguments.out, arguments.out + "/.scanmill"
    outcomes, clocks, ids = [], [0.0, 0.0, 0.0, 0.0], []
    for number in range(arguments.count):
        fault = FAULTS[number // 17 % len(FAULTS)] if number % 17 == 11 else None
        device = "phone-0%d" % (1 + number * 7 // 3 % 5)
        name = "2026-11-20_%s_%04d" % (fault or ["lobby", "kitchen", "studio"][number % 3], number)
        if arguments.hostile and number in (11, 12):
            name = ["<script>alert(1)<%2fscript>\"&' " + str(number), "\"><img src=x onerror=alert(2)>'&amp;"][number - 11]
            device = "</bdi><script>alert(3)</script>"
        ids.append(name)
        # Of a capture that is gone the page says so.
        write("%s/captures/%s/recorded.json" % (os.path.dirname(os.path.abspath(out)), name), {})
        seconds = 20 + rng.random() * 15
        lane = min(range(4), key=lambda n: clocks[n])
        entry = {"id": name, "input": "captures/" + name, "begin": round(clocks[lane], 3), "seconds": round(seconds, 3)}
        clocks[lane] += seconds
        if fault == "truncated":
            problem = {"fault": "input", "summary": "depth stream truncated",
                       "notes": ["deflate ended inside frame %d" % rng.randrange(200)],
                       "fix": "copy the file again, or keep the whole frames with  --set read.truncated=keep-whole",
                       "stage": "decompress", "file": name + ".depth.zlib", "byte": 81264640, "of": 88400000 + number}
            entry.update({"ended": "failed", "cause": problem["summary"], "problem": problem})
            write("%s/failures/%s.json" % (state, name), {
                "id": name, "input": "captures/" + name, "message": "", "fingerprint": "%064x" % number, "when": 1,
                **problem})
        else:
            made = receipt(number, name, device, fault, rng)
            write("%s/%s/receipt.json" % (out, name), made)
            for listed in made["files"]:
                path = os.path.join(out, name, listed["path"])
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file:
                    file.truncate(listed["bytes"])
            entry.update({"ended": "done", "frames": made["frames"]["source"], "kept": made["frames"]["kept"],
                          "bytes": 2718465, "peak-bytes": 61000000 + number,
                          "stages": {s: round(rng.random() * (12 if s in ("read", "filter-blur") else 2), 3)
                                     for s in STAGES + ["digests", "publish"]}})
        outcomes.append(entry)
        if arguments.strip:
            os.makedirs(state + "/thumbnails", exist_ok=True)
            target = "%s/thumbnails/%s.jpg" % (state, name)
            shutil.copyfile(arguments.strip[number % len(arguments.strip)], target)
            roles = [["first"], ["between"], ["blurriest"], ["between"], ["sharpest"], ["last"]]
            key = "%064x" % (number if fault == "truncated" else number + 1)
            write("%s/thumbnails/%s.json" % (state, name), {
                "key": key, "cells": [{"frame": 40 * n, "roles": roles[n]} for n in range(6)]})
    for night in range(arguments.earlier):
        folder = "%s/runs/202611%02dT210000Z-n%d" % (state, 20 - arguments.earlier + night, night)
        write(folder + "/plan.json", {"captures": []})
        write(folder + "/outcome.json", {"captures": []})
        write(folder + "/night.json", {
            "ran": arguments.count, "bytes": 1000000000 + rng.randrange(10**8), "ready-share": 0.95 + rng.random() * 0.04,
            "kept-share": 0.72 + rng.random() * 0.06, "seconds": 3000 + rng.random() * 600,
            "devices": [{"name": "phone-0%d" % n, "captures": 80, "dropped-share": 0.2 + rng.random() * 0.1,
                         "sharpness": 380 + rng.random() * 60} for n in range(1, 6)]})
    folder = state + "/runs/20261120T214000Z-night"
    write(folder + "/plan.json", {
        "pipeline": PIPELINE, "began": "20261120T214000Z",
        "command": {"pipeline": "pipelines/object-nerf.yaml", "set": [], "output": "out", "tool": "scanmill 0.1.0",
                    "folder": os.path.dirname(os.path.abspath(out))}, "captures": [{"id": i, "input": "captures/" + i} for i in ids]})
    write(folder + "/outcome.json", {"ended": "20261121T031500Z", "seconds": round(max(clocks), 3), "captures": outcomes})


if __name__ == "__main__":
    main()
