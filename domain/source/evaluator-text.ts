import { readPrinted, READ_PRINTED_SOURCE } from '../metric/printed-number.ts';

interface Evaluation {
  /** Command that the person gave. */
  command: string;
  metric: string;
  /** Paths of the files that a run leaves. */
  artefacts: readonly string[];
}

/** File name of the program in {@link evaluatorText}. */
export const EVALUATOR = 'perpetua-evaluate.mjs';

/** Beginning of the adapter's message that the command printed no score. */
export const noScoreText = (metric: string): string =>
  `the command of --eval printed neither a line like ${metric}: 0.5 nor JSON with the key ${metric}`;

/**
 * Source of an adapter between a command that prints its result and the evaluator's protocol. The adapter copies the
 * run's artefacts beside the command's files, runs the command, and reports the number of the last line that names the
 * metric. NaN and infinity are reported as such, and a text that is no number is an error.
 */
export const evaluatorText = ({ command, metric, artefacts }: Evaluation): string => `\
// Runs the evaluation on what a run left, and hands its number over. Written by perpetua start --source.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

const COMMAND = ${JSON.stringify(command)};
const METRIC = ${JSON.stringify(metric)};
const NO_SCORE = ${JSON.stringify(noScoreText(metric))};
const ARTEFACTS = ${JSON.stringify(artefacts)};
/** Says that what the run left is bad, and not the evaluation: the unmodified version was scored by it before. */
const CANDIDATE_AT_FAULT = 3;

for (const path of ARTEFACTS) {
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync('artefacts/' + path, path);
}
const { status, signal, stdout } = spawnSync('/bin/sh', ['-c', COMMAND], {
  stdio: ['ignore', 'pipe', 'inherit'],
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
// A colour or a progress bar is no part of a line.
const lines = (stdout ?? '').replace(/\\x1b\\[[0-?]*[ -/]*[@-~]/g, '').trim().split(/[\\r\\n]+/);
const found = ${readPrinted.name}(lines, { name: METRIC, forms: ['text', 'json'] });
if (status === 0 && found === null) fail(NO_SCORE + (lines.at(-1) ? '; its last line was: ' + lines.at(-1) : ''));
process.stderr.write(stdout ?? '');
if (status !== 0) fail('expected the command of --eval to exit with 0; it ended with ' + (status ?? signal));
if (found.value === undefined) {
  const got = found.raw === '' ? 'nothing' : JSON.stringify(found.raw.slice(0, 80));
  fail('expected the command of --eval to print ' + METRIC + ' as a plain number, got ' + got);
}
writeSync(3, JSON.stringify({ [METRIC]: jsonValue(found.value) }));

/** JSON has no NaN and no infinity: a text stands for them, and the trial ends as diverged. */
function jsonValue(value) {
  if (Number.isNaN(value)) return 'nan';
  if (Number.isFinite(value)) return value;
  return value > 0 ? 'inf' : '-inf';
}

function fail(why) {
  console.error(why);
  process.exit(CANDIDATE_AT_FAULT);
}

${READ_PRINTED_SOURCE}
`;
