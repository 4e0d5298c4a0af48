import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { frameReader } from '../../../../../infra/compute/ssh/channel/frames.ts';
import { loadScripts } from '../../../../../infra/compute/ssh/scripts.ts';
import { mountSmallDisk } from '../../../../support/machine/small-disk.ts';
import { noBusybox } from '../../../../support/machine/busybox.ts';

const scripts = await loadScripts();
/** Installed shells under which the host's script must work. */
export const SHELLS = ['sh', 'bash', ...(noBusybox === undefined ? ['busybox sh'] : [])];

const bases: string[] = [];
afterAll(() => {
  for (const base of bases) {
    spawnSync('umount', ['--lazy', base]);
    execFileSync('rm', ['-rf', base]);
  }
});

/** List of run directories in the format that the script reads. */
export const named = (...names: string[]): string => [...names, 'whole'].map((name) => `${name}\n`).join('');

/**
 * Makes a scratch folder with the scripts, and functions that call them as over SSH.
 * `uid`: owner of the folder, if not this user; `files`: number of files that fit on the disk of the folder.
 */
export function host(shell: string, { uid, files }: { uid?: number; files?: number } = {}) {
  const base = mkdtempSync(join(tmpdir(), "perpetua host's-"));
  bases.push(base);
  if (files !== undefined) mountSmallDisk(base, 8, files);
  mkdirSync(join(base, 'bin'));
  mkdirSync(join(base, 'stages'));
  const script = join(base, 'bin', 'host-x.sh');
  const supervisor = join(base, 'bin', 'supervisor-x.sh');
  writeFileSync(script, scripts.host);
  writeFileSync(supervisor, scripts.supervisor);
  const [program = '', ...first] = shell.split(' ');
  /** Command line that calls the script in its shell. */
  const words = [program, ...first, script, 'a', 'b', 'inst'] as const;
  const callWith = (input: string, ...more: (string | number)[]) => {
    if (uid !== undefined) execFileSync('chown', ['-R', `${uid}:${uid}`, base]);
    const { stdout, stderr } = spawnSync(words[0], [...words.slice(1), ...more.map(String)], {
      env: { ...process.env, PATH: `${join(base, 'tools')}:${process.env.PATH ?? ''}` },
      input,
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    expect(String(stderr)).toBe('');
    return frameReader('ab')
      .push(stdout)
      .map(({ type, words: rest, payload }) => [type, ...rest, String(payload)].filter((text) => text !== '').join(' '))
      .filter((line) => line !== 'beat' && line !== 'send');
  };
  /** Calls the script with an empty list of run directories. */
  const call = (...more: (string | number)[]) => callWith(named(), ...more);
  /** Puts a program on the PATH of the calls. */
  const provide = (name: string, text: string): void => {
    mkdirSync(join(base, 'tools'), { recursive: true });
    writeFileSync(join(base, 'tools', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  };
  const runs = join(base, 'runs', 'inst');
  mkdirSync(runs, { recursive: true });
  return { base, call, callWith, provide, runs, supervisor, words };
}
