"""Opens report pages in headless Chromium and says what a person would meet, as JSON.

browser.py PAGE [--pictures FOLDER]: loads the page, and its first page of cards where there is one, from disk; looks for
errors, foreign requests and injected elements; filters, sorts and searches. Speaks the DevTools protocol through a pipe,
so that nothing but Python and Chromium is needed. Exits with 77 where there is no Chromium.
"""
import argparse
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time


class Browser:
    def __init__(self, program):
        to_browser, self.to = os.pipe()
        self.back, from_browser = os.pipe()
        self.profile = tempfile.mkdtemp(prefix="scanmill-browser-")

        def place():
            # The browser reads descriptor 3 and writes descriptor 4; the copies first, in case they are in the way.
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
             "--disable-background-networking", "--disable-dev-shm-usage", "--force-color-profile=srgb",
             "--user-data-dir=" + self.profile, "--remote-debugging-pipe", "about:blank"],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL, env={**os.environ, "TMPDIR": self.profile})
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.events = b"", 0, []
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(domain + ".enable")

    def message(self):
        while b"\0" not in self.buffer:
            part = os.read(self.back, 1 << 20)
            if not part:
                raise SystemExit("the browser has gone")
            self.buffer += part
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, parameters=None):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters or {}}
        if getattr(self, "session", None):
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == request["id"]:
                if "error" in message:
                    raise SystemExit("%s: %s" % (method, message["error"]))
                return message["result"]
            self.events.append(message)

    def run(self, script):
        result = self.call("Runtime.evaluate", {"expression": script, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in result:
            raise SystemExit("%s: %s" % (script, result["exceptionDetails"]))
        return result["result"].get("value")

    def view(self, width, scheme):
        self.call("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})
        self.call("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def open(self, path):
        """Loads a page; the seconds until it answers, with what is in sight drawn."""
        self.events = []
        start = time.monotonic()
        self.call("Page.navigate", {"url": "file://" + path})
        # Told, not asked for: a question may reach the page before and die with it.
        while not any(event["method"] == "Page.domContentEventFired" for event in self.events):
            self.events.append(self.message())
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return time.monotonic() - start

    def picture(self, path, full=True):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        height = min(size["height"], 9000) if full else 900
        data = self.call("Page.captureScreenshot", {
            "captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": size["width"], "height": height, "scale": 1}})
        with open(path, "wb") as file:
            file.write(base64.b64decode(data["data"]))

    def complaints(self):
        found = []
        for event in self.events:
            parameters = event.get("params", {})
            if event["method"] == "Log.entryAdded":
                found.append(parameters["entry"]["text"])
            elif event["method"] == "Runtime.exceptionThrown":
                found.append(parameters["exceptionDetails"]["text"])
            elif event["method"] == "Runtime.consoleAPICalled":
                found.append("console: " + parameters["type"])
            elif event["method"] == "Page.javascriptDialogOpening":
                found.append("dialog: " + parameters["message"])
            elif event["method"] == "Network.requestWillBeSent":
                address = parameters["request"]["url"]
                if not address.startswith(("file://", "data:", "about:")):
                    found.append("request: " + address)
            elif event["method"] == "Network.loadingFailed" and not parameters.get("canceled"):
                found.append("not loaded: " + parameters.get("errorText", ""))
        return found

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


SHOWN = "[...document.querySelectorAll('#tiles .t')].filter(t => getComputedStyle(t).display !== 'none')"
NAMES = "[...document.querySelectorAll('#tiles .t bdi')].map(b => b.textContent)"


def look(browser, page, pictures):
    found = {}
    browser.view(1280, "light")
    browser.open(page)  # once, so that the disk's and the browser's own start do not count
    # The machine may have other work.
    found["seconds"] = min(browser.open(page) for _ in range(3))
    found["title"] = browser.run("document.title")
    found["complaints"] = browser.complaints()
    found["tiles"] = browser.run("document.querySelectorAll('#tiles .t').length")
    # Nothing but the page's own script, and no element that only a name could have brought.
    found["scripts"] = browser.run("document.scripts.length")
    found["foreign"] = browser.run("document.querySelectorAll('img, iframe, object, [onerror], [onload], [onclick]').length")
    found["alerts"] = browser.run("typeof window.hit")
    found["wide"] = browser.run("document.documentElement.scrollWidth <= innerWidth")
    found["unnamed"] = browser.run("document.querySelectorAll('svg:not([aria-label]):not([aria-hidden])').length")
    found["broken-links"] = browser.run(
        "[...document.querySelectorAll('a[href^=\"#\"]')].filter(a => !document.getElementById(a.getAttribute('href').slice(1))).length")
    found["shown"] = {}
    for state in ["ready", "look", "failed", "all"]:
        if browser.run("!!document.getElementById('show-%s')" % state):
            browser.run("document.getElementById('show-%s').click()" % state)
            found["shown"][state] = browser.run(SHOWN + ".length")
    found["names"] = browser.run(NAMES + ".slice(0, 3)")
    found["sorted"] = {}
    for key in ["b", "k", "q", "p", "t", ""]:
        start = time.monotonic()
        browser.run("{ const s = document.getElementById('sort'); s.value = '%s'; s.dispatchEvent(new Event('change')) }" % key)
        values = browser.run("[...document.querySelectorAll('#tiles .t')].map(t => t.dataset.%s)" % key) if key else browser.run(NAMES)
        values = [float(v) for v in values if v is not None] if key else values
        found["sorted"][key or "name"] = values == sorted(values)
        found["seconds-to-sort"] = max(found.get("seconds-to-sort", 0), time.monotonic() - start)
    browser.run("{ const f = document.getElementById('find'); f.value = 'KITCHEN'; f.dispatchEvent(new Event('input')) }")
    browser.run("new Promise(done => setTimeout(done, 400))")
    found["found"] = [browser.run(SHOWN + ".length"), browser.run("document.getElementById('found').textContent")]
    browser.open(page)
    for width, scheme in [(1280, "light"), (1280, "dark"), (390, "light")]:
        browser.view(width, scheme)
        browser.run("new Promise(done => setTimeout(done, 300))")
        found["wide"] = found["wide"] and browser.run("document.documentElement.scrollWidth <= innerWidth")
        if pictures:
            browser.picture("%s/%s-%d.png" % (pictures, scheme, width))
    browser.view(1280, "light")
    cards = os.path.join(os.path.dirname(page), "captures-001.html")
    if os.path.exists(cards):
        browser.open(cards)
        found["seconds-of-cards"] = browser.open(cards)
        found["complaints"] += browser.complaints()
        found["cards"] = browser.run("document.querySelectorAll('article.card').length")
        if pictures:
            browser.picture(pictures + "/cards.png")
    return found


def runs(program):
    """Whether it is there, and is no placeholder such as Ubuntu's, which only says where to get it."""
    return program and subprocess.run([program, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    parser.add_argument("--pictures")
    arguments = parser.parse_args()
    program = next(filter(runs, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
    if not program:
        print("there is no Chromium")
        sys.exit(77)
    browser = Browser(program)
    try:
        print(json.dumps(look(browser, os.path.abspath(arguments.page), arguments.pictures), indent=1))
    finally:
        browser.close()


if __name__ == "__main__":
    main()
