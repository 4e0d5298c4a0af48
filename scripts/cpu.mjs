// Measures the cost of tests: the CPU seconds of a command with all its processes, and of each test file.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, run } from './lib.mjs';

const perl = fileURLToPath(new URL('cpu.pl', import.meta.url));
/** Number of files in the table of the most expensive files. */
const DEAREST = 15;
/** A subject is `test/<folder>/<folder>`. */
const SUBJECT_DEPTH = 3;

/**
 * Runs a command in the clone; `folder` is for its measurements. Returns `succeeded` (exit code 0), `cpu` (user and
 * system seconds in words), and `table`: lines with the CPU seconds per subject, and of the most expensive files.
 */
export async function runCounted(command, folder) {
  const [total, files] = [join(folder, 'cpu'), join(folder, 'cpu-of-files')];
  const hasPerl = spawnSync('perl', ['-MPOSIX', '-e', '1']).status === 0;
  const counted = hasPerl ? ['perl', perl, total, ...command] : ['sh', '-c', BY_SHELL, total, ...command];
  const succeeded = await run(counted, { env: { ...process.env, PERPETUA_TEST_CPU: files } }).then(
    () => true,
    () => false,
  );
  const cpu = existsSync(total) ? totalOf(readFileSync(total, 'utf8')) : 'not counted';
  return { succeeded, cpu, table: tableOf(files) };
}

/** Measures by a shell's `times`, whose last line has the seconds of its children. It misses detached processes. */
const BY_SHELL = '"$@"; code=$?; times > "$0"; exit $code';

function totalOf(text) {
  const byPerl = /^([\d.]+) (.*)\n$/.exec(text);
  if (byPerl) return `${Math.round(byPerl[1])} s, ${byPerl[2]}`;
  const seconds = [...(text.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  return `${Math.round(seconds.reduce((sum, value) => sum + value, 0))} s, without daemons: there is no perl`;
}

function tableOf(file) {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const files = lines.map((line) => JSON.parse(line)).map(({ file, seconds }) => [relative(root, file), seconds]);
  const subjects = new Map();
  for (const [name, seconds] of files) {
    const subject = name.split('/').slice(0, -1).slice(0, SUBJECT_DEPTH).join('/');
    subjects.set(subject, (subjects.get(subject) ?? 0) + seconds);
  }
  return [
    'CPU seconds per folder, with the processes that its tests started and ended:',
    ...rows([...subjects]),
    'The most expensive files:',
    ...rows(files).slice(0, DEAREST),
  ];
}

const rows = (costs) =>
  costs.toSorted(([, a], [, b]) => b - a).map(([name, seconds]) => `${seconds.toFixed(1).padStart(7)}  ${name}`);
