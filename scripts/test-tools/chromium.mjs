// A real Chromium for the tests of the page, without root: the machine's own, else Debian's package with what it needs and a
// font, unpacked under .perpetua/test-tools.
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { download, failureOf, folderOf, lacksLibraries, librariesOf, unpack, unpackAll } from './debs.mjs';

const CHROMIUM = join('usr', 'lib', 'chromium', 'chromium');
const FONTS = 'fonts.conf';
const kept = folderOf('chromium');
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Where the tests' Chromium lies, and what it needs in its environment; or why there is none. */
export function findChromium() {
  for (const folder of ['/usr/bin', '/usr/local/bin'])
    for (const name of NAMES) if (answers(join(folder, name))) return { path: join(folder, name), env: {} };
  const path = join(kept, CHROMIUM);
  if (!existsSync(path)) return { reason: whyNot() };
  const env = { LD_LIBRARY_PATH: librariesOf(kept), FONTCONFIG_FILE: join(kept, FONTS) };
  return answers(path, env) ? { path, env } : { reason: `${path} does not run: remove ${kept}` };
}

/** Gets one where there is none. Returns what findChromium does; the reason is kept for the tests, which skip with it. */
export function getChromium({ tell = () => {} } = {}) {
  const found = findChromium();
  if (found.path || existsSync(join(kept, CHROMIUM))) return found;
  tell('getting a Chromium for the tests (about 100 MB)');
  unpack('chromium', fill);
  return findChromium();
}

const whyNot = () => `no Chromium here, and none to be had from apt${failureOf('chromium')}: install chromium`;

function fill({ downloads, target }) {
  download(['chromium', 'fonts-dejavu-core'], downloads, { missing: true });
  unpackAll(downloads, target);
  const chromium = join(target, CHROMIUM);
  // Of another distribution the package may only lead to another one.
  if (!existsSync(chromium)) throw new Error('the package chromium has no program');
  if (lacksLibraries(chromium, target)) throw new Error(`it lacks libraries: ${lacksLibraries(chromium, target)}`);
  writeFileSync(join(target, FONTS), FONTS_CONFIG);
}

/** As the machine has it, with the package's font beside its own; where it has nothing, that font stands for all. */
const FONTS_CONFIG = `<?xml version="1.0"?>
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">usr/share/fonts</dir>
  <alias><family>monospace</family><default><family>DejaVu Sans Mono</family></default></alias>
</fontconfig>
`;

const answers = (path, env = {}) =>
  existsSync(path) && spawnSync(path, ['--version'], { env: { ...process.env, ...env }, timeout: 60_000 }).status === 0;
