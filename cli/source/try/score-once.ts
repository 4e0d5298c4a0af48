import { warnOfCode } from '../../../domain/artefact/find-code.ts';
import { findArtefactCode } from '../../../infra/evaluate/artefact/find-artefact-code.ts';
import { readMetric } from '../../../domain/metric/read-metric.ts';
import { noScoreText } from '../../../domain/source/evaluator-text.ts';
import { formatValue } from '../../../domain/text/format.ts';
import { shellWord } from '../../../domain/text/shell-word.ts';
import type { LoadedTask } from '../../../tasks/load.ts';
import { evaluateArtefacts } from '../../certificate/evaluate.ts';
import { configOf } from '../../context.ts';
import { CliError } from '../../errors.ts';
import { printNote, type Io } from '../../io.ts';
import { adviseEvaluator } from './advise-evaluator.ts';
import type { EndedRun } from './try-in-sandbox.ts';

interface ScoringInput {
  loaded: LoadedTask;
  tried: EndedRun;
  folder: string;
  /** Folders that come first on the evaluator's PATH. */
  path: readonly string[];
}

/** Scores the program's run, so that a mistake shows before the research starts. Throws CliError if it has no score. */
export async function scoreOnce(io: Io, { loaded, tried, folder, path }: ScoringInput): Promise<void> {
  const { task, evaluatorFiles } = loaded;
  const { name } = task.metric;
  const paths = task.run.artefacts.map(({ path }) => path);
  const isArtefact = ({ path }: { path: string }): boolean => paths.includes(path);
  try {
    const value = task.evaluator.type === 'none' ? readPrinted(tried, loaded) : await evaluate();
    printNote(io, `  unmodified  ${name} ${formatValue(value)}`);
    const isSafe = task.evaluator.type === 'none' || task.evaluator.safeLoad === true;
    const code = isSafe ? null : await findArtefactCode(tried.writtenFiles.filter(isArtefact));
    if (code !== null) printNote(io, `  ! ${warnOfCode(code)}`);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const quoted = shellWord(folder);
    const hasNoScore = error.message.includes(noScoreText(name));
    const hint = hasNoScore ? 'If the metric has another name, change --metric.' : null;
    const advice = await adviseEvaluator(io, task, error.message);
    const problem = [error.message, hint, advice].filter(Boolean).join('\n');
    throw new CliError(
      error.code,
      `${problem}\nNothing was started. Correct ${quoted}, then: npx perpetua check ${quoted}\n` +
        `Or correct the program, remove ${quoted}, and run the same command again.`,
    );
  }

  async function evaluate(): Promise<number> {
    const artefacts = tried.writtenFiles.filter(isArtefact);
    const missing = paths.filter((path) => !artefacts.some((artefact) => artefact.path === path));
    if (missing.length > 0)
      throw new CliError('refused', `Expected the run to write ${missing.join(', ')}, but it did not.`);
    const bytes = artefacts.reduce((sum, { content }) => sum + content.length, 0);
    const runtime = {
      wallSeconds: tried.seconds,
      cpuSeconds: tried.seconds,
      peakMemoryMb: null,
      outputBytes: tried.stdout.length,
      mutableBytes: 0,
      artefactBytes: bytes,
      gpu: null,
    };
    const { home } = configOf(io);
    const signal = io.signal ?? new AbortController().signal;
    return evaluateArtefacts({ home, task, evaluatorFiles, artefacts, runtime, path, secret: null }, 1, signal);
  }
}

function readPrinted({ stdout }: EndedRun, { task }: LoadedTask): number {
  const score = readMetric(stdout, task.metric);
  if (!score.ok) throw new CliError('refused', `The run printed no score: ${score.message}.`);
  return score.value;
}
