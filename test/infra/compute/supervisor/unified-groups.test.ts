import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { section, SHELLS } from './section.ts';

const base = mkdtempSync(join(tmpdir(), 'perpetua-unified-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Files of a group that has processes: the kernel refuses to enable controllers for groups within it. */
const BUSY = { 'cgroup.procs': '', 'cgroup.controllers': 'cpu memory pids\n', 'cpu.stat': 'usage_usec 0\n' };
/** Files of a group that may hold groups with these controllers. */
const giving = (controllers: string) => ({ ...BUSY, 'cgroup.subtree_control': `${controllers}\n` });
/** Files that the kernel makes in each new group of version 2. */
const NEW = `mkdir() {
  shift
  command mkdir -p "$@"
  for made; do
    : >"$made/memory.max" && : >"$made/memory.swap.max" && : >"$made/memory.oom.group" && : >"$made/cgroup.procs"
    printf 'oom 0\\noom_kill 0\\n' >"$made/memory.events"
    : >"$made/cgroup.kill"
  done
}`;

/** Files of a machine: those of its groups by path, and the line of the supervisor's group. */
interface Tree {
  groups: Record<string, Record<string, string>>;
  own: string;
}

let count = 0;
/** Runs commands after the functions of the section on a tree of files; returns the output with short paths. */
function onTree(shell: string[], { groups, own }: Tree, commands: string) {
  const folder = join(base, String((count += 1)));
  for (const [group, files] of Object.entries<Record<string, string>>({ '': {}, ...groups })) {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, 'tree', group, name)), { recursive: true });
      writeFileSync(join(folder, 'tree', group, name), text);
    }
    // Writing to a folder fails, as does writing to this file of a group that has processes.
    if (!('cgroup.subtree_control' in files))
      mkdirSync(join(folder, 'tree', group, 'cgroup.subtree_control'), { recursive: true });
  }
  writeFileSync(join(folder, 'own'), own);
  const script = `${section('clocks and identities')}\n${section('control groups')}\n${NEW}
    hierarchies=$PWD/tree memberships=$PWD/own control=$PWD/runs/a.0/3/ctl fence=3 memory_kb=1024 processes_limit=8
    identify
    ${commands}`;
  const [program = '', ...words] = shell;
  const { stdout, stderr } = spawnSync(program, [...words, '-c', script], { cwd: folder, encoding: 'utf8' });
  expect(stderr).toBe('');
  const short = stdout.replaceAll(`${folder}/tree`, '').replace(/perpetua-a\.0-3-\d+-\d+-\d+/g, 'RUN');
  return {
    lines: short.trimEnd().split('\n'),
    read: (path: string) => readFileSync(join(folder, 'tree', path), 'utf8'),
  };
}

const GROUPS = 'make_groups\necho "memory $memory_group, processes $processes_group, cpu $cpu_group"';
const SETTINGS =
  'for file in memory.max memory.swap.max memory.oom.group pids.max; do ' +
  'read -r value <"$memory_group/$file" && echo "$value"; done';
const SERVICE: Tree = {
  own: '0::/system.slice/perpetua.service\n',
  groups: {
    '': giving('cpu memory pids'),
    'system.slice': giving('cpu memory pids'),
    'system.slice/perpetua.service': BUSY,
  },
};
/** The same with further files of the unit's own group. */
const unitWith = (files: Record<string, string>): Tree => ({
  ...SERVICE,
  groups: { ...SERVICE.groups, 'system.slice/perpetua.service': { ...BUSY, ...files } },
});
const UNIT_ONLY = ['memory , processes , cpu /system.slice/perpetua.service/RUN'];

describe.each(SHELLS)('a tree of version 2 under %s', (_, shell, missing) => {
  it.skipIf(missing)('gets the group beside the unit of the supervisor, which has processes', () => {
    expect(onTree(shell, SERVICE, `${GROUPS}\n${SETTINGS}`).lines).toEqual([
      'memory /system.slice/RUN, processes /system.slice/RUN, cpu /system.slice/RUN',
      '17408K',
      '0',
      '1',
      '288',
    ]);
  });

  it.skipIf(missing).each([
    ['memory.max', '1073741824\n'],
    ['memory.high', '1073741824\n'],
    ['cpu.max', '200000 100000\n'],
    ['cpuset.cpus', '0-3\n'],
  ])('keeps a run in a unit that limits its own %s', (file, text) => {
    expect(onTree(shell, unitWith({ [file]: text }), GROUPS).lines).toEqual(UNIT_ONLY);
    expect(onTree(shell, unitWith({ [file]: 'max 100000\n' }), GROUPS).lines).not.toEqual(UNIT_ONLY);
  });

  it.skipIf(missing)(
    'enables the controllers in a delegated group, whose processes are in a group of their own',
    () => {
      const delegated = 'user.slice/user@7.service/app.slice/perpetua.service';
      const tree: Tree = {
        own: `0::/${delegated}/main\n`,
        // The groups above are not the user's: writing there is refused.
        groups: {
          '': { 'cgroup.controllers': 'cpu memory pids\n' },
          [delegated]: giving(''),
          [`${delegated}/main`]: { ...BUSY, 'cgroup.controllers': '\n' },
        },
      };
      const { lines, read } = onTree(shell, tree, GROUPS);
      const made = `/${delegated}/RUN`;
      expect(lines).toEqual([`memory ${made}, processes ${made}, cpu ${made}`]);
      expect(read(`${delegated}/cgroup.subtree_control`)).toBe('+memory +pids\n');
    },
  );

  it.skipIf(missing)('gets a group for CPU time alone where the supervisor may not leave its group', () => {
    const container: Tree = { own: '0::/\n', groups: { '': BUSY } };
    expect(onTree(shell, container, GROUPS).lines).toEqual(['memory , processes , cpu /RUN']);
  });

  it.skipIf(missing)('gets no group where the supervisor may not write', () => {
    const readOnly: Tree = { own: '0::/\n', groups: { '': { 'cgroup.controllers': 'memory pids\n' } } };
    expect(onTree(shell, readOnly, GROUPS).lines).toEqual(['memory , processes , cpu']);
  });

  it.skipIf(missing)('gets no group for memory if the kernel does not report its kills', () => {
    const old = `${NEW.replaceAll('oom_kill', 'other')}\n${GROUPS}`;
    expect(onTree(shell, SERVICE, old).lines).toEqual(['memory , processes /system.slice/RUN, cpu /system.slice/RUN']);
  });

  it.skipIf(missing)('shows a kill at the limit, and not one by a machine without memory', () => {
    const events = (text: string): string =>
      `printf '${text}' >"$memory_group/memory.events"; if is_out_of_memory; then echo out; else echo in; fi`;
    const all = ['oom 0\\noom_kill 1\\n', 'oom 2\\noom_kill 0\\n', 'oom 2\\noom_kill 1\\n'].map(events);
    const { lines } = onTree(shell, SERVICE, `make_groups\n${all.join('\n')}`);
    expect(lines).toEqual(['in', 'in', 'out']);
  });

  it.skipIf(missing)('counts all memory of a run but copies of files, and CPU time', () => {
    const commands = `make_groups
      echo 52428800 >"$memory_group/memory.current"
      printf 'anon 10\\nfile 41943040\\nsock 7\\n' >"$memory_group/memory.stat"
      printf 'shmem 10485760\\nslab_reclaimable 1048576\\n' >>"$memory_group/memory.stat"
      printf 'usage_usec 1230000\\nuser_usec 5\\n' >"$cpu_group/cpu.stat"
      read_memory_group && read_cpu_group && echo "$held $grouped"`;
    expect(onTree(shell, SERVICE, commands).lines).toEqual([`${19 * 1024} 123`]);
  });

  it.skipIf(missing)('is full if little of its memory can be dropped', () => {
    const commands = `make_groups
      for held in 14000 13000; do if is_full; then echo full; else echo free; fi; done`;
    expect(onTree(shell, SERVICE, commands).lines).toEqual(['full', 'free']);
  });

  it.skipIf(missing)('kills what is left in the group, and removes it', () => {
    const commands = `make_groups
      kill_run_group && cat "$memory_group/cgroup.kill"
      rm "$memory_group"/*
      remove_groups
      [ -d "$memory_group" ] || echo removed`;
    expect(onTree(shell, SERVICE, commands).lines).toEqual(['1', 'removed']);
  });
});

it('in a container, a hierarchy of version 1 may begin at the group of the supervisor', () => {
  const tree: Tree = {
    own: '5:memory:/docker/abc\n4:pids:/docker/abc\n3:cpu,cpuacct:/docker/abc\n',
    groups: {
      memory: { 'cgroup.procs': '', 'memory.oom_control': '' },
      pids: { 'cgroup.procs': '' },
      cpuacct: { 'cgroup.procs': '', 'cpuacct.usage': '' },
    },
  };
  expect(onTree(['sh'], tree, 'find_own_groups\necho "$memory_at $processes_at $cpu_at"').lines).toEqual([
    '/memory /pids /cpuacct',
  ]);
});
