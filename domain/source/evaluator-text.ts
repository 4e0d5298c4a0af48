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
 * run's artefacts beside the command's files, runs the command, and reports the last number printed under the metric's
 * name.
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
const lines = (stdout ?? '').trim().split('\\n');
const found = lines.map(numberIn).filter((value) => value !== null).at(-1);
if (status === 0 && found === undefined) fail(NO_SCORE + (lines.at(-1) ? '; its last line was: ' + lines.at(-1) : ''));
process.stderr.write(stdout ?? '');
if (status !== 0) fail('expected the command of --eval to exit with 0; it ended with ' + (status ?? signal));
writeSync(3, JSON.stringify({ [METRIC]: found }));

/** The number that a line gives under the metric's name; null where it gives none. */
function numberIn(line) {
  const text = line.trim();
  if (text.startsWith('{'))
    try {
      const value = JSON.parse(text)[METRIC];
      return typeof value === 'number' ? value : null;
    } catch {
      return null;
    }
  if (!text.startsWith(METRIC)) return null;
  const rest = /^\\s*[:=]\\s*(\\S+)$/.exec(text.slice(METRIC.length))?.[1];
  const value = Number(rest ?? 'none');
  return Number.isFinite(value) ? value : null;
}

function fail(why) {
  console.error(why);
  process.exit(CANDIDATE_AT_FAULT);
}
`;
