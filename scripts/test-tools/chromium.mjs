// Gets a real Chromium for the tests of the page, without root: the machine's own, else Debian's package. The package,
// its dependencies and a font are unpacked under .perpetua/test-tools.
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { download, failureOf, folderOf, lacksLibraries, librariesOf, unpack, unpackAll } from './debs.mjs';

const CHROMIUM = join('usr', 'lib', 'chromium', 'chromium');
const FONTS = 'fonts.conf';
const kept = folderOf('chromium');
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Finds the tests' Chromium: its path and environment variables, or the reason why there is none. */
export function findChromium() {
  for (const folder of ['/usr/bin', '/usr/local/bin'])
    for (const name of NAMES) if (answers(join(folder, name))) return { path: join(folder, name), env: {} };
  const path = join(kept, CHROMIUM);
  if (!existsSync(path)) return { reason: whyNot() };
  const env = { LD_LIBRARY_PATH: librariesOf(kept), FONTCONFIG_FILE: join(kept, FONTS) };
  return answers(path, env) ? { path, env } : { reason: `${path} does not run: remove ${kept}` };
}

/** Gets a Chromium if there is none. Returns findChromium's result; a failure's reason is stored for the tests. */
export function getChromium({ tell = () => {} } = {}) {
  const found = findChromium();
  if (found.path || existsSync(join(kept, CHROMIUM))) return found;
  tell('getting a Chromium for the tests (about 100 MB)');
  unpack('chromium', fill);
  return findChromium();
}

const whyNot = () => `no Chromium here, and apt cannot get one${failureOf('chromium')}: install chromium`;

function fill({ downloads, target }) {
  download(['chromium', 'fonts-dejavu-core'], downloads, { missing: true });
  unpackAll(downloads, target);
  const chromium = join(target, CHROMIUM);
  // On another distribution, the package may be a stub for another package.
  if (!existsSync(chromium)) throw new Error('the package chromium has no program');
  if (lacksLibraries(chromium, target)) throw new Error(`it lacks libraries: ${lacksLibraries(chromium, target)}`);
  writeFileSync(join(target, FONTS), FONTS_CONFIG);
}

/** Adds the package's font to the machine's fonts. On a machine without fonts it is the only one. */
const FONTS_CONFIG = `<?xml version="1.0"?>
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">usr/share/fonts</dir>
  <alias><family>monospace</family><default><family>DejaVu Sans Mono</family></default></alias>
</fontconfig>
`;

const answers = (path, env = {}) =>
  existsSync(path) && spawnSync(path, ['--version'], { env: { ...process.env, ...env }, timeout: 60_000 }).status === 0;
