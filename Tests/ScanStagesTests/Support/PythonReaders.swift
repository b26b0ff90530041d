import ScanModel
import TestSupport

/// Readers of the formats that stages write, in plain Python, from the formats' own descriptions: nothing in them comes
/// from the code under test.
enum PythonReaders {
    /// Runs a script that may call the readers, and reads the JSON that it prints.
    static func run(_ script: String, _ arguments: [String]) throws -> JSONValue {
        let result = try runPython(readers + "\n" + script, arguments)
        guard result.status == 0 else { throw Problem(.tool, "python3: \(result.errors)") }
        return try JSONValue.parse(Array(result.output.utf8), file: "python")
    }

    private static let readers = """
        import json, math, os, struct, sys, zlib

        def read_ply(path):
            data = open(path, 'rb').read()
            head, body = data.split(b'end_header\\n', 1)
            lines = head.decode('ascii').split('\\n')[:-1]
            assert lines[0] == 'ply' and lines[1] == 'format binary_little_endian 1.0', lines
            lines = [l for l in lines[2:] if not l.startswith('comment ')]
            assert lines[0].startswith('element vertex '), lines
            count = int(lines[0].split(' ')[2])
            code = {'float': 'f', 'uchar': 'B'}
            names = [l.split(' ')[2] for l in lines[1:]]
            record = struct.Struct('<' + ''.join(code[l.split(' ')[1]] for l in lines[1:]))
            assert len(body) == count * record.size, (len(body), count, record.size)
            return {'properties': names, 'points': [list(p) for p in record.iter_unpack(body)]}

        def read_png(path):
            data = open(path, 'rb').read()
            assert data[:8] == b'\\x89PNG\\r\\n\\x1a\\n'
            at, packed = 8, b''
            while at < len(data):
                size, kind = struct.unpack('>I4s', data[at:at + 8])
                chunk = data[at + 8:at + 8 + size]
                assert struct.unpack('>I', data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + chunk)
                if kind == b'IHDR': width, height, bits, color, _, _, lace = struct.unpack('>IIBBBBB', chunk)
                if kind == b'IDAT': packed += chunk
                at += 12 + size
            assert lace == 0
            channels = {0: 1, 2: 3, 6: 4}[color]
            step = channels * bits // 8
            raw, row, rows = zlib.decompress(packed), [0] * (width * step), []
            for v in range(height):
                line = raw[v * (width * step + 1):(v + 1) * (width * step + 1)]
                kind, line, now = line[0], line[1:], []
                for i, x in enumerate(line):
                    a = now[i - step] if i >= step else 0
                    b = row[i]
                    c = row[i - step] if i >= step else 0
                    p = a + b - c
                    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
                    paeth = a if pa <= pb and pa <= pc else b if pb <= pc else c
                    now.append((x + (0, a, b, (a + b) // 2, paeth)[kind]) & 255)
                row = now
                rows.append(now if bits == 8 else [now[2 * i] * 256 + now[2 * i + 1] for i in range(width * channels)])
            return {'width': width, 'height': height, 'bits': bits, 'channels': channels, 'rows': rows}

        def lines_of(path):
            text = open(path, encoding='utf-8').read()
            assert text.endswith('\\n')
            return [l for l in text.split('\\n')[:-1] if not l.startswith('#')]

        def read_colmap_text(folder):
            model = {'cameras': {}, 'images': [], 'points': []}
            for l in lines_of(folder + '/cameras.txt'):
                f = l.split(' ')
                model['cameras'][int(f[0])] = [f[1], int(f[2]), int(f[3])] + [float(x) for x in f[4:]]
            lines = lines_of(folder + '/images.txt')
            assert len(lines) % 2 == 0, 'every image has two lines'
            for l, observations in zip(lines[::2], lines[1::2]):
                f = l.split(' ')
                assert len(f) == 10, f
                model['images'].append({'id': int(f[0]), 'q': [float(x) for x in f[1:5]], 't': [float(x) for x in f[5:8]],
                    'camera': int(f[8]), 'name': f[9], 'observations': observations.split()})
            for l in lines_of(folder + '/points3D.txt'):
                f = l.split(' ')
                model['points'].append({'id': int(f[0]), 'xyz': [float(x) for x in f[1:4]], 'rgb': [int(x) for x in f[4:7]],
                    'error': float(f[7]), 'track': f[8:]})
            return model

        class Bytes:
            def __init__(self, path): self.data, self.at = open(path, 'rb').read(), 0
            def take(self, code):
                s = struct.Struct('<' + code)
                values = s.unpack_from(self.data, self.at)
                self.at += s.size
                return values
            def name(self):
                end = self.data.index(b'\\0', self.at)
                text = self.data[self.at:end].decode('utf-8')
                self.at = end + 1
                return text
            def end(self): assert self.at == len(self.data), (self.at, len(self.data))

        def read_colmap_binary(folder):
            model = {'cameras': {}, 'images': [], 'points': []}
            b = Bytes(folder + '/cameras.bin')
            for _ in range(b.take('Q')[0]):
                number, kind, w, h = b.take('IiQQ')
                assert kind == 1, kind
                model['cameras'][number] = ['PINHOLE', w, h] + list(b.take('4d'))
            b.end()
            b = Bytes(folder + '/images.bin')
            for _ in range(b.take('Q')[0]):
                number, *pose, camera = b.take('I7dI')
                name = b.name()
                seen = [list(b.take('ddQ')) for _ in range(b.take('Q')[0])]
                model['images'].append({'id': number, 'q': pose[:4], 't': pose[4:], 'camera': camera, 'name': name,
                    'observations': seen})
            b.end()
            b = Bytes(folder + '/points3D.bin')
            for _ in range(b.take('Q')[0]):
                number, x, y, z, r, g, bl, error = b.take('Q3d3Bd')
                track = [list(b.take('II')) for _ in range(b.take('Q')[0])]
                model['points'].append({'id': number, 'xyz': [x, y, z], 'rgb': [r, g, bl], 'error': error, 'track': track})
            b.end()
            return model
        """
}
