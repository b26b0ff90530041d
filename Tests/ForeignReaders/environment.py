"""The virtual environments in which other programs' readers are installed."""
import os
import subprocess
import sys


def enter(venv, packages):
    """Goes on in the virtual environment, which is made first if need be. Ends with 77 where that cannot be done."""
    python = os.path.join(venv, 'bin', 'python')
    if sys.prefix == os.path.abspath(venv):
        return
    ready = os.path.join(venv, 'ready')
    if not os.path.exists(ready):
        try:
            subprocess.run([sys.executable, '-m', 'venv', '--clear', venv], check=True, capture_output=True, timeout=120)
            install = [python, '-m', 'pip', 'install', '--quiet', '--retries', '1', '--timeout', '15']
            subprocess.run(install + packages, check=True, capture_output=True, timeout=400)
        except (subprocess.SubprocessError, OSError) as error:
            output = getattr(error, 'stderr', None) or b''
            print('cannot be installed:', (output.decode('utf-8', 'replace').strip().splitlines() or [str(error)])[-1])
            sys.exit(77)
        open(ready, 'w').close()
    os.execv(python, [python, '-B', os.path.abspath(sys.argv[0])] + sys.argv[1:])
