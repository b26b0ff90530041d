"""Undistorts pictures, masks and depth with OpenCV, and compares what ScanMill made of the same. Where OpenCV does not know
the lens, pycolmap says where each pixel is seen.

    python3 undistortion.py VENV SCANMILL FOLDER

Makes the virtual environment VENV when it is missing, and runs itself in it. FOLDER is empty, for what is written. Prints
a line a lens and ends with 0; with 77 when OpenCV cannot be installed; with 1 when the two disagree.
"""
import json
import os
import subprocess
import sys

from environment import enter
from foreign_readers import PACKAGES

WIDTH, HEIGHT = 320, 240
CAMERA = {'fl_x': 260.0, 'fl_y': 262.0, 'cx': 163.0, 'cy': 117.5}
# Keys of transforms.json; a COLMAP model's parameters behind fx fy cx cy.
DATASETS = {
    'barrel': {'camera_model': 'OPENCV', 'k1': -0.21, 'k2': 0.05, 'p1': 0.004, 'p2': -0.003},
    'pincushion': {'k1': 0.09, 'k2': -0.01, 'k3': 0.004},
    'fisheye': {'camera_model': 'OPENCV_FISHEYE', 'k1': 0.03, 'k2': -0.01, 'k3': 0.002, 'k4': -0.0005},
}
MODELS = {
    'full': ('FULL_OPENCV', [-0.2, 0.05, 0.003, -0.002, 0.01, 0.05, -0.02, 0.004]),
    'prism': ('THIN_PRISM_FISHEYE', [0.03, -0.01, 0.004, -0.003, 0.002, -0.0005, 0.01, -0.02]),
    'aria': ('RAD_TAN_THIN_PRISM_FISHEYE',
             [0.03, -0.01, 0.002, -0.0005, 2e-4, -1e-4, 0.004, -0.003, 0.01, -0.004, -0.02, 0.005]),
    'view': ('FOV', [0.9]),
    'divided': ('DIVISION', [-0.15]),
    'unified': ('EUCM', [0.6, 1.1]),
}


def main(scanmill, folder):
    import cv2
    import numpy

    y, x = numpy.mgrid[0:HEIGHT, 0:WIDTH].astype(numpy.float64)
    waves = [128 + 100 * numpy.sin(x / (5 + 2 * i)) * numpy.cos(y / (7 - i)) for i in range(3)]
    picture = numpy.stack(waves, 2).round().astype(numpy.uint8)
    depth = (500 + 10 * x + 17 * y).astype(numpy.uint16)
    mask = (((x - 150) ** 2 + (y - 110) ** 2 < 80 ** 2) * 255).astype(numpy.uint8)

    def write(name, content):
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if isinstance(content, str):
            open(path, 'w', encoding='utf-8').write(content)
        else:
            cv2.imwrite(path, content)

    for name, lens in DATASETS.items():
        frame = {'file_path': 'images/0.png', 'depth_file_path': 'depth/0.png', 'mask_path': 'masks/0.png',
                 'transform_matrix': numpy.eye(4).tolist()}
        write(f'{name}/transforms.json', json.dumps(CAMERA | lens | {'w': WIDTH, 'h': HEIGHT, 'frames': [frame]}))
        for part, content in [('images', picture), ('depth', depth), ('masks', mask)]:
            write(f'{name}/{part}/0.png', content)
    for name, (model, numbers) in MODELS.items():
        parameters = ' '.join(map(str, list(CAMERA.values()) + numbers))
        write(f'{name}/sparse/0/cameras.txt', f'1 {model} {WIDTH} {HEIGHT} {parameters}\n')
        write(f'{name}/sparse/0/images.txt', '1 1 0 0 0 0 0 0 1 0.png\n\n')
        write(f'{name}/sparse/0/points3D.txt', '')
        write(f'{name}/images/0.png', picture)
        write(f'{name}/masks/0.png', mask)

    stages = 'stages:\n  - read\n  - undistort\n'
    write('datasets.yaml', stages + '  - decompress\n  - write-transforms: {depth: true, color: png}\n')
    write('models.yaml', stages + '  - write-transforms: {color: png}\n')
    for pipeline, names in [('datasets', DATASETS), ('models', MODELS)]:
        out = os.path.join(folder, 'out', pipeline)
        inputs = [os.path.join(folder, name) for name in names]
        subprocess.run([scanmill, 'run', os.path.join(folder, pipeline + '.yaml')] + inputs + ['-o', out, '-q'], check=True)
        for name in names:
            check(cv2, numpy, name, os.path.join(out, name, 'nerf'), picture, depth, mask)


def colmap_maps(numpy, model, numbers, new):
    """Where a pinhole's pixels are seen, from the centre of the top-left one; of pictures of the full size."""
    import pycolmap

    camera = pycolmap.Camera(model=model, width=WIDTH, height=HEIGHT, params=list(CAMERA.values()) + numbers)
    y, x = numpy.mgrid[0:HEIGHT, 0:WIDTH] + 0.5
    rays = numpy.stack([(x - new['cx']) / new['fl_x'], (y - new['cy']) / new['fl_y'], numpy.ones_like(x)], 2)
    seen = camera.img_from_cam(rays.reshape(-1, 3)).reshape(HEIGHT, WIDTH, 2) - 0.5
    return seen[..., 0].astype(numpy.float32), seen[..., 1].astype(numpy.float32)


def check(cv2, numpy, name, result, picture, depth, mask):
    def matrix(k, shape):
        # From the centre of the top-left pixel, as OpenCV counts, for a map of its own size.
        sx, sy = shape[1] / WIDTH, shape[0] / HEIGHT
        return numpy.array([[k['fl_x'] * sx, 0, k['cx'] * sx - 0.5], [0, k['fl_y'] * sy, k['cy'] * sy - 0.5], [0, 0, 1]])

    transforms = json.load(open(os.path.join(result, 'transforms.json'), encoding='utf-8'))
    frame = transforms['frames'][0]
    new = {key: frame.get(key, transforms.get(key)) for key in CAMERA}
    read = lambda key: cv2.imread(os.path.join(result, frame[key]), cv2.IMREAD_UNCHANGED)

    def maps(shape):
        size = shape[1], shape[0]
        old, straight = matrix(CAMERA, shape), matrix(new, shape)
        if name in MODELS and MODELS[name][0] != 'FULL_OPENCV':
            return colmap_maps(numpy, *MODELS[name], new)
        if name in MODELS:
            bent = numpy.array(MODELS[name][1])
        else:
            lens = DATASETS[name]
            if lens.get('camera_model') == 'OPENCV_FISHEYE':
                bent = numpy.array([lens[key] for key in ['k1', 'k2', 'k3', 'k4']])
                return cv2.fisheye.initUndistortRectifyMap(old, bent, numpy.eye(3), straight, size, cv2.CV_32FC1)
            bent = numpy.array([lens.get(key, 0) for key in ['k1', 'k2', 'p1', 'p2', 'k3']])
        return cv2.initUndistortRectifyMap(old, bent, None, straight, size, cv2.CV_32FC1)

    def remap(image, way):
        return cv2.remap(image, *maps(image.shape), way, borderMode=cv2.BORDER_REPLICATE)

    ours, theirs = read('file_path').astype(int), remap(picture, cv2.INTER_LINEAR).astype(int)
    # OpenCV interpolates in 32nds of a pixel, ScanMill in 64ths.
    step = numpy.abs(numpy.diff(picture.astype(int), axis=1)).max() / 32 + 1
    worst = numpy.abs(ours - theirs).max()
    assert worst <= step, f'{name}: a colour is off by {worst}, allowed is {step}'
    x, y = maps(picture.shape)
    for low, high in [(x.min(), WIDTH - 1 - x.max()), (y.min(), HEIGHT - 1 - y.max())]:
        assert min(low, high) > -0.6, f'{name}: {-min(low, high)} pixels beyond the picture are seen'
    ours, theirs = read('mask_path'), remap(mask, cv2.INTER_NEAREST)
    assert ours.shape == theirs.shape
    # Either neighbour is the nearest half-way between them.
    other = (ours != theirs).mean()
    assert other < 0.02, f'{name}: {other:.1%} of the mask are other pixels'
    if name in DATASETS:
        ours = read('depth_file_path').astype(float)
        theirs = 1 / remap(1 / depth.astype(numpy.float32), cv2.INTER_LINEAR)
        assert ours.shape == theirs.shape
        off = numpy.abs(ours - theirs)
        # Pixels differ by up to 27 mm: more than 3 % where depth is less than 0.9 m, so there the nearest is taken.
        assert off.max() <= 28, f'{name}: depth is off by {off.max()} mm'
        far = off[theirs > 930].max()
        assert far <= 2, f'{name}: interpolated depth is off by {far} mm'
    scale = new['fl_x'] / CAMERA['fl_x']
    print(f'{name}: undistorted with {scale:.4f} of the focal length; colours within {worst} of 255')


if __name__ == '__main__':
    enter(sys.argv[1], PACKAGES)
    main(*sys.argv[2:])
