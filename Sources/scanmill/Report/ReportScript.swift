import FoundationEssentials
import ScanPipeline

/// The page's script: sorting and searching tiles, when asked. Everything else works without it.
enum ReportScript {
    static let text = """
        (() => {
          const tools = document.getElementById('tools'), list = document.getElementById('tiles');
          if (!tools) return;
          tools.hidden = false;
          const sort = document.getElementById('sort'), find = document.getElementById('find');
          let inOrder = null, sizes = null;
          sort.addEventListener('change', () => {
            inOrder ??= [...list.querySelectorAll('.t')];
            // Before any tile moves: a group that gives tiles away has fewer.
            sizes ??= [...list.children].map(group => group.children.length);
            const key = sort.value;
            const tiles = [...inOrder];
            const value = tile => key in tile.dataset ? +tile.dataset[key] : Infinity;
            if (key) tiles.sort((a, b) => value(a) - value(b) || 0);
            for (const [place, group] of [...list.children].entries()) {
              group.replaceChildren(...tiles.splice(0, sizes[place]));
            }
          });
          let timer;
          find.addEventListener('input', () => {
            clearTimeout(timer);
            timer = setTimeout(() => {
              // A Mac's file names have their accents apart.
              const plain = text => text.normalize().toLowerCase();
              const words = plain(find.value);
              let count = 0;
              list.classList.toggle('flat', words !== '');
              for (const tile of list.querySelectorAll('.t')) {
                const text = tile.querySelector('bdi').textContent + ' ' + (tile.dataset.d || '');
                const isHit = plain(text).includes(words);
                tile.hidden = !isHit;
                count += isHit;
              }
              document.getElementById('found').textContent = words ? count + ' found' : '';
            }, 120);
          });
        })();
        """

    /// What the page's policy allows to run: this text and no other.
    static let fingerprint: String = {
        let hex = Array(Digest.of(text).hex)
        let bytes = stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(String(hex[$0...$0 + 1]), radix: 16) }
        return "sha256-\(Data(bytes).base64EncodedString())"
    }()
}
