"""Opens what ScanMill's writers wrote with programs that ScanMill has no part in.

    python3 foreign_readers.py VENV RESULT CAMERA_LINES

Makes the virtual environment VENV when it is missing, and runs itself in it. RESULT is the published folder of the
pipeline every-writer.yaml, CAMERA_LINES the capture's own .jsonl, which holds the true poses. Prints a line a reader and
ends with 0; with 77 when the readers cannot be installed, such as without network; with 1 when one of them disagrees.
"""
import json
import os
import subprocess
import sys

from environment import enter

PACKAGES = ['pycolmap', 'open3d', 'plyfile', 'opencv-python-headless', 'pillow', 'numpy', 'trimesh']


def close(a, b, limit, what):
    import numpy
    error = float(numpy.abs(numpy.asarray(a) - numpy.asarray(b)).max())
    assert error <= limit, f'{what}: off by {error}, allowed is {limit}'
    return error


def main(result, camera_lines):
    import cv2
    import numpy
    import open3d
    import plyfile
    import pycolmap
    import trimesh
    from PIL import Image

    name = os.path.basename(result.rstrip('/'))
    path = lambda *parts: os.path.join(result, *parts)
    load = lambda *parts: json.load(open(path(*parts), encoding='utf-8'))
    lines = [json.loads(line) for line in open(camera_lines, encoding='utf-8')]
    # camera-to-world, column-major, OpenGL's axes.
    truth = [numpy.array(line['transform']).reshape(4, 4).T for line in lines]
    cv_axes = numpy.diag([1, -1, -1, 1])
    frames = [int(os.path.basename(f['file_path']).split('.')[0]) for f in load('nerf', 'transforms.json')['frames']]

    cloud = plyfile.PlyData.read(path(name + '.ply'))['vertex']
    points = numpy.stack([cloud['x'], cloud['y'], cloud['z']], 1)
    other = open3d.io.read_point_cloud(path(name + '.ply'))
    assert len(other.points) == cloud.count and len(other.colors) == cloud.count
    close(points, other.points, 0, 'points')
    print(f'plyfile, Open3D: {cloud.count} points with colours in {name}.ply, the same in both')

    mesh = open3d.io.read_triangle_mesh(path(name + '_mesh.ply'))
    elements = plyfile.PlyData.read(path(name + '_mesh.ply'))
    triangles = numpy.stack(elements['face']['vertex_indices'])
    close(mesh.triangles, triangles, 0, 'triangles')
    assert mesh.has_vertex_colors() and mesh.is_edge_manifold(allow_boundary_edges=True) and mesh.is_orientable()
    normals = numpy.asarray(mesh.vertex_normals).copy()
    mesh.compute_vertex_normals()
    towards = (normals * numpy.asarray(mesh.vertex_normals)).sum(1)
    assert numpy.median(towards) > 0.99, f'normals and triangles look to different sides: {numpy.median(towards)}'
    scene = trimesh.load(path(name + '.glb'))
    surface = next(iter(scene.geometry.values()))
    close(surface.vertices, mesh.vertices, 1e-6, 'vertices of the GLB')
    close(surface.faces, triangles, 0, 'triangles of the GLB')
    print(f'plyfile, Open3D, trimesh: {len(triangles)} triangles in {name}_mesh.ply and {name}.glb, the same in all')

    for form in ['binary', 'text']:
        folder = path('colmap', 'sparse', '0')
        model = pycolmap.Reconstruction()
        (model.read_binary if form == 'binary' else model.read_text)(folder)
        assert len(model.images) == len(frames) and len(model.points3D) == cloud.count
        worst = [0.0, 0.0]
        for image in model.images.values():
            number = int(image.name.split('.')[0])
            pose = image.cam_from_world() if callable(image.cam_from_world) else image.cam_from_world
            worst[0] = max(worst[0], close(image.projection_center(), truth[number][:3, 3], 1e-6, 'centre'))
            rotation = pose.rotation.matrix().T
            worst[1] = max(worst[1], close(rotation, (truth[number] @ cv_axes)[:3, :3], 1e-6, 'rotation'))
            camera = model.cameras[image.camera_id]
            # ARKit counts from the first pixel's centre, COLMAP from its corner.
            k = lines[number]['intrinsics']
            close(camera.params, [k[0], k[4], k[6] + 0.5, k[7] + 0.5], 1e-9, 'intrinsics')
            picture = cv2.imread(path('colmap', 'images', image.name))
            assert picture.shape[:2] == (camera.height, camera.width)
        print(f'pycolmap: {len(model.images)} images, {cloud.count} points, {form}; '
              f'centres within {worst[0]:.1e} m, rotations within {worst[1]:.1e}')

    def enlarge(depth, shape):
        return cv2.resize(depth, shape[::-1], interpolation=cv2.INTER_NEAREST_EXACT)

    def clear(shape, depth):
        """New pixels whose centre lies inside an old one; on a border either neighbour is the nearest."""
        inside = []
        for new, old in zip(shape, depth.shape):
            at = (numpy.arange(new) + 0.5) * old / new
            inside.append(numpy.abs(at - numpy.round(at)) > 1e-6)
        return inside[0][:, None] & inside[1][None, :]

    # Depth of each frame, in every writer's form, against the one in millimetres.
    millimetres = {}
    for kept, number in enumerate(frames):
        file = path('nerf', 'depths', f'{number:06}.png')
        depth = cv2.imread(file, cv2.IMREAD_UNCHANGED)
        assert depth.dtype == numpy.uint16 and depth.ndim == 2
        assert Image.open(file).mode == 'I;16'
        millimetres[number] = depth
        picture = cv2.imread(path('nerf', 'images', f'{number:06}.jpg'))
        mask = numpy.array(Image.open(path('nerf', 'masks', f'{number:06}.png')))
        assert mask.shape == picture.shape[:2] and set(numpy.unique(mask)) <= {0, 255}
        ignored = cv2.imread(path('ngp', 'images', f'dynamic_mask_{number:06}.png'), cv2.IMREAD_UNCHANGED)
        assert (ignored == 255 - mask).all()
        large = cv2.imread(path('ngp', 'depths', f'{number:06}.png'), cv2.IMREAD_UNCHANGED)
        assert large.shape == picture.shape[:2]
        inside = clear(large.shape, depth)
        assert inside.mean() > 0.5 and (large == enlarge(depth, large.shape))[inside].all()
        assert (cv2.imread(path('outputs', 'depth', f'{kept}.png'), cv2.IMREAD_UNCHANGED) == depth).all()
        scannet = cv2.imread(path('scannet', 'depth', f'{number}.png'), cv2.IMREAD_UNCHANGED)
        assert (scannet == depth).all()
        pose = numpy.loadtxt(path('scannet', 'pose', f'{number}.txt'))
        close(pose, truth[number] @ cv_axes, 1e-6, "ScanNet's pose")
    print(f'OpenCV, Pillow: depth and masks of {len(frames)} frames in nerf/, ngp/, outputs/, scannet/ agree')

    rows = lambda *parts: [l.split() for l in open(path(*parts)) if not l.startswith('#')]
    colors, depths, poses = rows('tum', 'rgb.txt'), rows('tum', 'depth.txt'), rows('tum', 'groundtruth.txt')
    assert len(colors) == len(depths) == len(poses) == len(frames)
    for number, color, depth, pose in zip(frames, colors, depths, poses):
        rgbd = open3d.geometry.RGBDImage.create_from_tum_format(
            open3d.io.read_image(path('tum', color[1])), open3d.io.read_image(path('tum', depth[1])))
        metres = numpy.asarray(rgbd.depth)
        truth_metres = enlarge(millimetres[number], metres.shape) / 1000
        # Open3D cuts off at 4 m.
        near = (truth_metres < 3.999) & (metres > 0) & clear(metres.shape, millimetres[number])
        close(metres[near], truth_metres[near], 0.00061, "TUM's depth")
        close([float(x) for x in pose[1:4]], truth[number][:3, 3], 1e-6, "TUM's position")
    print(f'Open3D: {len(frames)} RGB-D pictures of tum/ in metres')

    probe = subprocess.run(
        ['ffprobe', '-v', 'error', '-count_frames', '-select_streams', 'v:0', '-show_entries',
         'stream=nb_read_frames,width,height', '-of', 'csv=p=0', path(name + '.mp4')],
        check=True, capture_output=True, text=True).stdout.strip()
    picture = cv2.imread(path('nerf', 'images', f'{frames[0]:06}.jpg'))
    assert probe == f'{picture.shape[1]},{picture.shape[0]},{len(frames)}', probe
    print(f'ffprobe: {len(frames)} frames in {name}.mp4')

    subprocess.run(['unzip', '-tq', path(name + '.zip')], check=True, stdout=subprocess.DEVNULL)
    print(f'unzip: {name}.zip is whole')


if __name__ == '__main__':
    enter(sys.argv[1], PACKAGES)
    main(*sys.argv[2:])
