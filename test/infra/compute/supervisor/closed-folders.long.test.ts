import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { confinements, PROCESS_GROUP } from '../../../../infra/compute/run-protocol/confinement/confinement.ts';
import { noBusybox } from '../../../support/machine/busybox.ts';
import { base, has, isRoot, supervise, type Setting } from './supervise.ts';
import { probe, sandboxed, unless } from './under-shell.ts';

/** Uid of the last setting's ordinary user; each setting gets the next one. */
let lastUser = 61_940;
const asUser = (setting: Omit<Setting, 'uid'>): Setting => ({
  ...setting,
  uid: null,
  ...(isRoot ? { user: (lastUser += 1) } : {}),
});

/** Arguments that put busybox's programs first on the PATH, as on a host that has no others. */
function busyboxFirst(): string[] {
  const folder = join(base, 'busybox-programs');
  mkdirSync(folder);
  const programs = ['chmod', 'du', 'find', 'grep', 'head', 'sed', 'sort', 'tail', 'tr', 'uniq', 'wc'];
  for (const program of programs) symlinkSync('/usr/bin/busybox', join(folder, program));
  chmodSync(folder, 0o755);
  return ['env', `PATH=${folder}:/usr/sbin:/usr/bin:/sbin:/bin`];
}

const [ordinary] = confinements(false, true);
if (!ordinary) throw new Error('expected a confinement for an ordinary user');
const inSandbox = asUser({ shell: [has('dash') ? 'dash' : 'sh'], confinement: ordinary });
const namespaced = (await supervise(inSandbox, 'exit 9')).end?.exitCode === 9;
const inGroup = (shell: string[], within?: string[]): Setting =>
  asUser({ shell, confinement: PROCESS_GROUP, ...(within ? { within } : {}) });

const SETTINGS: [title: string, missing: string, setting: () => Setting][] = [
  ['in a sandbox', namespaced ? '' : 'no namespaces for ordinary users here', () => inSandbox],
  ['without one under bash', has('bash') ? '' : 'bash is not installed', () => inGroup(['bash'])],
  ['without one under busybox with its programs', noBusybox ?? '', () => inGroup(['busybox', 'sh'], busyboxFirst())],
];

const first = SETTINGS.findIndex(([, missing]) => missing === '');

/** True if the machine's own programs are used: Debian's busybox `find` removes nothing, and no path above 4 KiB. */
const isOwn = (title: string): boolean => !title.includes('busybox');

/** Command that writes over two megabytes, in files that are each below a limit of two. */
const FILL = 'for n in 1 2 3; do head -c 900000 /dev/zero >$n; done';
const STAY = 'exec sleep 4531';
const LONG = { wallSeconds: 300 };
const SMALL = { ...LONG, diskMb: 2 };

for (const [index, [title, missing, settingOf]] of SETTINGS.entries()) {
  unless(missing, `of an ordinary user ${title}, a run`, () => {
    const setting = settingOf();

    it('that closes each folder once continues, and the content of the folders is measured', async () => {
      // A later measurement opens the second folder, and finds the first one open.
      const command = `mkdir -p d/e g; head -c 900000 /dev/zero >d/e/f; chmod 0 d/e; chmod 0311 d
        until [ -r d/e/f ]; do sleep .1; done; chmod 0 g; until [ -r g ]; do sleep .1; done; exit 5`;
      const { end, directory, complaints } = await supervise(setting, command, SMALL);
      expect(end).toMatchObject({ reason: 'exit', exitCode: 5 });
      expect(end?.closed).toBeUndefined();
      expect(Number(readFileSync(join(directory, 'ctl/written'), 'utf8'))).toBeGreaterThan(870);
      expect(complaints).toBe('');
    });

    it('that closes a folder again is ended, since it cannot be measured', async () => {
      const { end, directory } = await supervise(setting, 'mkdir d; while :; do chmod 0 d; sleep .01; done', LONG);
      expect(end).toMatchObject({ reason: 'disk', closed: 'work/d', treeGone: true });
      if (isOwn(title)) expect(readdirSync(join(directory, 'work'))).toEqual([]);
    });

    it('that closes one folder after another is ended, too', async () => {
      const rename = 'mv d$i d$((i + 1)); i=$((i + 1)); chmod 0 d$i; sleep .05';
      const { end } = await supervise(setting, `i=0; mkdir d0; while :; do ${rename}; done`, LONG);
      expect(end).toMatchObject({ reason: 'disk', treeGone: true });
      expect(end?.closed).toMatch(/^work\/d\d+$/);
    });

    it('that exceeds its quota in a closed folder is ended by that', async () => {
      const { end } = await supervise(setting, `mkdir d; cd d; ${FILL}; chmod 0 ../d; ${STAY}`, SMALL);
      expect(end).toMatchObject({ reason: 'disk', treeGone: true });
      expect(end?.closed).toBeUndefined();
    });

    it('that exceeds its quota in a closed folder before it fails has failed of its quota', async () => {
      const { end, directory } = await supervise(setting, `mkdir d; cd d; ${FILL}; chmod 0 ../d; exit 3`, SMALL);
      expect(end).toMatchObject({ reason: 'disk', treeGone: true });
      if (isOwn(title)) expect(readdirSync(join(directory, 'work'))).toEqual([]);
    });

    it('is measured whatever its closed folders are called', async () => {
      const names = `"-rf" "a
b" "'" '"' "\\\\" "$(printf '\\377')" "x: Permission denied
7"`;
      const make = `for d in ${names}; do mkdir "./$d"; head -c 400000 /dev/zero >"./$d/f"; done`;
      const close = (more: string) => `${make}; ${more} for d in ${names}; do chmod 0 "./$d"; done`;
      const over = await supervise(setting, `${close('')}; ${STAY}`, SMALL);
      expect(over.end).toMatchObject({ reason: 'disk', treeGone: true });
      expect(over.end?.closed).toBeUndefined();
      const again = await supervise(setting, `${close('while :; do sleep .01;')}; done`, LONG);
      expect(again.end).toMatchObject({ reason: 'disk', treeGone: true });
      expect(again.end?.closed).toMatch(/./);
    });

    // One setting is enough: the files take long to make, and the measurement is the same in all settings.
    it.skipIf(index !== first)(
      'is measured with 100,000 files in folders that cannot be entered or listed',
      async () => {
        const make = 'mkdir d e; cd d; seq 100000 | xargs touch; cd ../e; : >f; cd ..; chmod 0444 d; chmod 0311 e';
        const { end } = await supervise(setting, `${make}; ${STAY}`, { ...LONG, files: 100_002 });
        expect(end).toMatchObject({ reason: 'disk', files: { allowed: 100_002, seen: 100_003 }, treeGone: true });
        expect(end?.closed).toBeUndefined();
      },
    );

    it.skipIf(!has('perl') || !isOwn(title))('is measured below a path too long for a system call', async () => {
      const make = `perl -e 'for (1 .. 600) { mkdir "0123456789"; chdir "0123456789" or die }
        for (1 .. 3) { open my $file, ">", $_ or die; print $file "x" x 900000 }'`;
      const { end } = await supervise(setting, `${make}; chmod 0 0123456789/0123456789; ${STAY}`, SMALL);
      expect(end).toMatchObject({ reason: 'disk', treeGone: true });
      expect(end?.closed).toBeUndefined();
    });
  });
}

unless(namespaced ? '' : 'no namespaces for ordinary users here', 'of an ordinary user in a sandbox, a folder', () => {
  it('is opened within the sandbox, where a link that takes its place leads nowhere else', async () => {
    // The sandbox does not show this `chmod`, which opens nothing.
    const folder = join(base, 'useless-programs');
    mkdirSync(folder);
    writeFileSync(join(folder, 'chmod'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const outside = { ...inSandbox, within: ['env', `PATH=${folder}:/usr/sbin:/usr/bin:/sbin:/bin`] };
    const { end } = await supervise(outside, 'mkdir d; chmod 0 d; until [ -r d ]; do sleep .1; done; exit 5', LONG);
    expect(end).toMatchObject({ reason: 'exit', exitCode: 5 });
  });
});

/**
 * Arguments that run the supervisor and make the file `go` for its run after so many measurements of the disk.
 * The supervisor writes the file `written` at each measurement.
 */
const afterLooks = (looks: number): string[] => [
  'sh',
  '-c',
  `for control; do :; done; "$@" & main=$!; n=0
    while [ $n -lt ${looks} ] && kill -0 $main; do sleep .1; rm "$control/written" && n=$((n + 1)); done 2>/dev/null
    : >"\${control%/ctl}/work/go"; wait $main`,
  'sh',
];

unless(isRoot && sandboxed ? '' : 'needs root and namespaces', 'of root, a run of another user', () => {
  it('is measured in folders that it closes again, and is not ended for that', async () => {
    const again = '(while :; do chmod 0 d; sleep .01; done) & until [ -e go ]; do sleep .1; done; exit 5';
    const watched = { ...probe, within: afterLooks(3) };
    const { end } = await supervise(watched, `mkdir d; head -c 900000 /dev/zero >d/f; ${again}`, LONG);
    expect(end).toMatchObject({ reason: 'exit', exitCode: 5 });
    const over = await supervise(watched, `mkdir d; cd d; ${FILL}; cd ..; ${again}`, SMALL);
    expect(over.end).toMatchObject({ reason: 'disk', treeGone: true });
    expect(over.end?.closed).toBeUndefined();
  });
});
