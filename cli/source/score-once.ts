import { readMetric } from '../../domain/metric/read-metric.ts';
import { formatValue } from '../../domain/text/format.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import { evaluateArtefacts } from '../certificate/evaluate.ts';
import { configOf } from '../context.ts';
import { CliError } from '../errors.ts';
import { printNote, type Io } from '../io.ts';
import type { ProgramRun } from './run-program-once.ts';

interface Scored {
  loaded: LoadedTask;
  tried: ProgramRun;
  folder: string;
}

/** Scores the run that was tried, so that a mistake shows before a research is started. Throws CliError where it has no score. */
export async function scoreOnce(io: Io, { loaded, tried, folder }: Scored): Promise<void> {
  const { task, evaluatorFiles } = loaded;
  const { name } = task.metric;
  try {
    const value = task.evaluator.type === 'none' ? printed(tried, loaded) : await evaluated();
    printNote(io, `  unmodified  ${name} ${formatValue(value)}`);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const place = shellWord(folder);
    throw new CliError(
      error.code,
      `${error.message}\nNothing was started. Mend ${place}, then: npx perpetua check ${place}\nOr mend the program, remove ${place}, and give the same command again.`,
    );
  }

  async function evaluated(): Promise<number> {
    const paths = task.run.artefacts.map(({ path }) => path);
    const artefacts = tried.writtenFiles.filter(({ path }) => paths.includes(path));
    const missing = paths.filter((path) => !artefacts.some((one) => one.path === path));
    if (missing.length > 0)
      throw new CliError('refused', `Expected the run to leave ${missing.join(', ')}; it did not.`);
    const bytes = artefacts.reduce((sum, { content }) => sum + content.length, 0);
    const runtime = {
      ...{
        wallSeconds: tried.seconds,
        cpuSeconds: tried.seconds,
        peakMemoryMb: null,
        outputBytes: tried.stdout.length,
      },
      ...{ mutableBytes: 0, artefactBytes: bytes, gpu: null },
    };
    const { home } = configOf(io);
    const signal = io.signal ?? new AbortController().signal;
    return evaluateArtefacts(
      { home, task, evaluatorFiles, artefacts, runtime, path: task.run.path, secret: null },
      1,
      signal,
    );
  }
}

function printed({ stdout }: ProgramRun, { task }: LoadedTask): number {
  const read = readMetric(stdout, task.metric);
  if (!read.ok) throw new CliError('refused', `The run printed no score: ${read.message}.`);
  return read.value;
}
