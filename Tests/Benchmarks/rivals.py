"""What people do today: each benchmark's job as a Python script would do it, with the fastest calls of the usual libraries.

    python rivals.py JOB CAPTURE OUT

CAPTURE is a MultiScan capture as the benchmark makes it; nothing here checks its input, reports a bad frame, or makes its
output durable. It needs numpy, Open3D and OpenCV.
"""
import glob
import hashlib
import json
import os
import shutil
import struct
import sys
import zlib


def capture_files(capture):
    name = os.path.basename(capture.rstrip('/'))
    with open(f'{capture}/{name}.jsonl') as file:
        lines = [json.loads(line) for line in file if line.strip()]
    return f'{capture}/{name}', lines, sorted(glob.glob(f'{capture}/color/*'))


def inflate(path):
    with open(path, 'rb') as file:
        return zlib.decompress(file.read(), -15)


def depth_frames(base, width=256, height=192):
    import numpy as np
    depth = np.frombuffer(inflate(base + '.depth.zlib'), np.float16).reshape(-1, height, width)
    confidence = np.frombuffer(inflate(base + '.confidence.zlib'), np.uint8).reshape(-1, height, width)
    return depth, confidence


def voxels(capture, out, colored=False):
    """Depth and confidence to masked points, culled by the box, 2 cm voxels, a PLY file."""
    import cv2
    import numpy as np
    import open3d as o3d
    base, lines, pictures = capture_files(capture)
    depth, confidence = depth_frames(base)
    corners = json.load(open(f'{capture}/boundingbox.json'))['positions']
    corners = np.array([[corner[axis] for axis in 'xyz'] for corner in corners.values()])
    box = o3d.geometry.OrientedBoundingBox.create_from_points(o3d.utility.Vector3dVector(corners))
    axes, half = np.asarray(box.R, np.float32), np.asarray(box.extent, np.float32) / 2
    height, width = depth.shape[1:]
    v, u = np.mgrid[0:height, 0:width].astype(np.float32)
    scale = width / (cv2.imread(pictures[0]).shape[1] if pictures else 640)
    all_points, all_colors = [], []
    for frame, line in enumerate(lines):
        z = depth[frame].astype(np.float32)
        good = (confidence[frame] >= 2) & (z >= 0.1) & (z <= 5)
        k = np.array(line['intrinsics'], np.float32) * np.float32(scale)
        zs = z[good]
        local = np.stack([(u[good] - k[6]) / k[0] * zs, -(v[good] - k[7]) / k[4] * zs, -zs], axis=1)
        pose = np.array(line['transform'], np.float32).reshape(4, 4).T
        points = local @ pose[:3, :3].T + pose[:3, 3]
        inside = (np.abs((points - np.asarray(box.center, np.float32)) @ axes) <= half).all(axis=1)
        all_points.append(points[inside])
        if colored:
            picture = cv2.cvtColor(cv2.imread(pictures[frame]), cv2.COLOR_BGR2RGB)
            rows = ((v[good][inside] + 0.5) / scale).astype(int)
            columns = ((u[good][inside] + 0.5) / scale).astype(int)
            all_colors.append(picture[rows, columns])
    cloud = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(np.concatenate(all_points)))
    if colored:
        cloud.colors = o3d.utility.Vector3dVector(np.concatenate(all_colors) / 255)
    o3d.io.write_point_cloud(f'{out}/cloud.ply', cloud.voxel_down_sample(0.02))


def voxels_color(capture, out):
    voxels(capture, out, colored=True)


def mesh(capture, out):
    """Open3D's TSDF fusion: masked depth and the pictures' colours, 2 cm voxels, a mesh with normals as PLY."""
    import cv2
    import numpy as np
    import open3d as o3d
    core = o3d.core
    base, lines, pictures = capture_files(capture)
    depth, confidence = depth_frames(base)
    width = depth.shape[2]
    volume = o3d.t.geometry.VoxelBlockGrid(
        ('tsdf', 'weight', 'color'), (core.float32, core.float32, core.float32), ((1,), (1,), (3,)), voxel_size=0.02,
        block_resolution=8, block_count=20000)
    for frame, line in enumerate(lines):
        z = depth[frame].astype(np.float32)
        z[(confidence[frame] < 2) | (z < 0.1) | (z > 5)] = 0
        picture = cv2.cvtColor(cv2.imread(pictures[frame]), cv2.COLOR_BGR2RGB)
        k = np.array(line['intrinsics']).reshape(3, 3).T
        scale = width / picture.shape[1]
        k_color, k_depth = core.Tensor(k), core.Tensor(np.diag([scale, scale, 1]) @ k)
        pose = np.array(line['transform']).reshape(4, 4).T @ np.diag([1, -1, -1, 1])
        camera_from_world = core.Tensor(np.linalg.inv(pose))
        z, picture = o3d.t.geometry.Image(z), o3d.t.geometry.Image((picture / 255).astype(np.float32))
        blocks = volume.compute_unique_block_coordinates(
            z, k_depth, camera_from_world, depth_scale=1.0, depth_max=10.0, trunc_voxel_multiplier=4.0)
        volume.integrate(
            blocks, z, picture, k_depth, k_color, camera_from_world, depth_scale=1.0, depth_max=10.0,
            trunc_voxel_multiplier=4.0)
    surface = volume.extract_triangle_mesh(weight_threshold=1).to_legacy()
    surface.compute_vertex_normals()
    o3d.io.write_triangle_mesh(f'{out}/mesh.ply', surface)


def depth_png(capture, out):
    """As MultiScan's server unpacks depth (server/scripts/depth_decode.py): streams into temporary files, then frames in a
    pool of processes, each zeroing what jumps by 5 cm or is of low confidence, to 16-bit PNGs of millimetres."""
    import multiprocessing
    # Before the pool is made, so that its processes have them already; the script imports pyplot for its colour maps.
    import cv2, matplotlib.pyplot, numpy  # noqa: F401
    base, lines, _ = capture_files(capture)
    for kind in ('depth', 'confidence'):
        inflater = zlib.decompressobj(-15)
        with open(f'{base}.{kind}.zlib', 'rb') as packed, open(f'{out}/{kind}.tmp', 'wb') as raw:
            while chunk := packed.read(16384):
                raw.write(inflater.decompress(chunk))
    with multiprocessing.Pool() as pool:
        pool.starmap(depth_picture, ((out, frame) for frame in range(len(lines))))
    for kind in ('depth', 'confidence'):
        os.unlink(f'{out}/{kind}.tmp')


def depth_picture(out, frame, width=256, height=192):
    import cv2
    import numpy as np

    def stream(kind, numbers, frame):
        size = np.dtype(numbers).itemsize * width * height
        return np.memmap(f'{out}/{kind}.tmp', numbers, 'r', frame * size, (height, width))

    metres = stream('depth', np.float16, frame).copy()
    if frame > 0:
        metres[np.abs(stream('depth', np.float16, frame - 1) - metres) > 0.05] = 0
    metres[stream('confidence', np.uint8, frame) < 2] = 0
    cv2.imwrite(f'{out}/{frame}.png', (metres * 1000).astype(np.uint16))


def blur_pictures(capture, out):
    """OpenCV's fastest exact form: 16-bit Laplacian, its own mean and deviation."""
    import cv2
    _, _, pictures = capture_files(capture)
    scores = []
    for path in pictures:
        gray = cv2.cvtColor(cv2.imread(path), cv2.COLOR_BGR2GRAY)
        _, deviation = cv2.meanStdDev(cv2.Laplacian(gray, cv2.CV_16S))
        scores.append(float(deviation[0, 0]) ** 2)
    json.dump(scores, open(f'{out}/scores.json', 'w'))


def blur_video(capture, out):
    import cv2
    video = cv2.VideoCapture(glob.glob(f'{capture}/*.mp4')[0])
    scores = []
    while True:
        found, picture = video.read()
        if not found:
            break
        _, deviation = cv2.meanStdDev(cv2.Laplacian(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), cv2.CV_16S))
        scores.append(float(deviation[0, 0]) ** 2)
    json.dump(scores, open(f'{out}/scores.json', 'w'))


def undistort(dataset, out):
    """As nerfstudio undistorts a dataset's pictures when it loads them, and each written with OpenCV's usual quality."""
    import cv2
    import numpy as np
    description = json.load(open(f'{dataset}/transforms.json'))
    bent = np.array([description[key] for key in ('k1', 'k2', 'p1', 'p2')])
    for number, frame in enumerate(description['frames']):
        k = {key: frame.get(key, description.get(key)) for key in ('fl_x', 'fl_y', 'cx', 'cy')}
        camera = np.array([[k['fl_x'], 0, k['cx'] - 0.5], [0, k['fl_y'], k['cy'] - 0.5], [0, 0, 1]])
        picture = cv2.imread(f"{dataset}/{frame['file_path']}")
        straight, _ = cv2.getOptimalNewCameraMatrix(camera, bent, picture.shape[1::-1], 0)
        cv2.imwrite(f'{out}/{number}.jpg', cv2.undistort(picture, camera, bent, None, straight))


def copy_pictures(capture, out):
    """The least that a careful copy does: the bytes, one SHA-256 of them, and fsync."""
    _, _, pictures = capture_files(capture)
    for path in pictures:
        careful_copy(path, f'{out}/{os.path.basename(path)}')


def careful_copy(source, target):
    with open(source, 'rb') as file:
        hashlib.file_digest(file, 'sha256')
    with open(source, 'rb') as file, open(target, 'wb') as copy:
        shutil.copyfileobj(file, copy, 1 << 20) if not hasattr(os, 'copy_file_range') else copy_in_kernel(file, copy)
        os.fsync(copy.fileno())


def copy_in_kernel(file, copy):
    while os.copy_file_range(file.fileno(), copy.fileno(), 1 << 30):
        pass


def sens_frames(file):
    """Each frame's picture and packed depth; the depth maps' size first."""
    _, name = struct.unpack('<IQ', file.read(12))
    file.seek(name + 4 * 64 + 8, 1)
    _, _, width, height = struct.unpack('<4I', file.read(16))
    file.seek(4, 1)
    count, = struct.unpack('<Q', file.read(8))
    yield width, height
    for _ in range(count):
        file.seek(64 + 16, 1)
        color, depth = struct.unpack('<QQ', file.read(16))
        yield file.read(color), file.read(depth)


def copy_sens(sens, out):
    """The least that a careful export does: the pictures copied out, one SHA-256 of the file, and fsync."""
    with open(sens, 'rb') as file:
        hashlib.file_digest(file, 'sha256')
        file.seek(0)
        frames = sens_frames(file)
        next(frames)
        for number, payloads in enumerate(frames):
            with open(f'{out}/{number}.jpg', 'wb') as copy:
                copy.write(payloads[0])
                copy.flush()
                os.fsync(copy.fileno())


def sens_images(sens, out):
    """As ScanNet's own reader does: the whole file into memory, then every picture as it is."""
    with open(sens, 'rb') as file:
        frames = sens_frames(file)
        next(frames)
        frames = list(frames)
    for number, (color, _) in enumerate(frames):
        with open(f'{out}/{number}.jpg', 'wb') as copy:
            copy.write(color)


def cloud(ply, out):
    """Crop and voxels of a large PLY."""
    import numpy as np
    import open3d as o3d
    points = o3d.io.read_point_cloud(ply)
    box = o3d.geometry.AxisAlignedBoundingBox(np.array([-1.5, -1.2, -1.2]), np.array([1.5, 1, 1.2]))
    o3d.io.write_point_cloud(f'{out}/cloud.ply', points.crop(box).voxel_down_sample(0.02))


if __name__ == '__main__':
    job, source, target = sys.argv[1:]
    os.makedirs(target, exist_ok=True)
    globals()[job.replace('-', '_')](source, target)
