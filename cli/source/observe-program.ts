import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { assignFiles, type FileRoles, type OpenedFiles } from '../../domain/source/assign-files.ts';
import { filesNamedIn } from '../../domain/source/build-task.ts';
import { findMention } from '../../domain/source/find-mention.ts';
import { summarizePaths } from '../../domain/text/summarize-paths.ts';
import { importedFiles } from '../../domain/source/imports-of.ts';
import { decodeText } from '../../tasks/decode-text.ts';
import { refused } from '../errors.ts';
import { printNote, type Io } from '../io.ts';
import type { SourceRequest } from './options.ts';
import type { Source } from './read-source.ts';
import { matchesGlob } from './require-parts.ts';
import { runProgramOnce, type Program, type ProgramRun } from './run-program-once.ts';

/** Facts about a program from one run of it and of its evaluation. */
export interface Observation {
  /** Null: not run outside of the sandbox, since all facts were given. */
  tried: ProgramRun | null;
  roles: FileRoles;
  /** Files of the source that a run writes. */
  leftovers: string[];
  /** Reason why it is unknown which files are opened, as a clause; null if it is known, or without an evaluation. */
  unseen: string | null;
}

interface Observed extends Pick<Program, 'env' | 'parents' | 'onEnded'> {
  source: Source;
  mutable: readonly string[];
}

/**
 * Runs the unmodified program and its evaluation once, and assigns each file of the source to runs or to the
 * evaluation. Refuses a program whose opened files cannot be seen if --eval-files is not given.
 */
export async function observeProgram(io: Io, request: SourceRequest, observed: Observed): Promise<Observation> {
  const { source, mutable, env, parents, onEnded } = observed;
  const isMutable = (path: string): boolean => mutable.includes(path);
  const held = new Set(matching(source, request.evalFiles ?? []).filter((path) => !isMutable(path)));
  const program = { files: source.files, held, isMutable, env, parents, onEnded };
  const { tried, leftovers, untraced } = await tryWithoutLeftovers(io, request, program);
  const seen = tried === null ? null : openedFiles(request, { source, tried, untraced });
  if (request.evaluate !== null && request.evalFiles === null && seen?.opened === null) throw unseenError(seen.unseen);
  const roles = assignFiles(
    source.files.map(({ path }) => path).filter((path) => !leftovers.includes(path)),
    { ...factsOf(request, { source, mutable, opened: seen?.opened ?? null }), held },
  );
  const notRun =
    request.evaluate === null ? null : '--budget, --artefact and --eval-files were given, so no run was observed';
  return { tried, roles, leftovers, unseen: seen === null ? notRun : seen.unseen };
}

const matching = ({ files }: Source, globs: readonly string[]): string[] =>
  files.map(({ path }) => path).filter((path) => globs.some((glob) => matchesGlob(glob, path)));

/** Refuses a program that may open answers unnoticed. */
const unseenError = (reason: string | null): Error =>
  refused(
    `Cannot tell which files only the evaluation opens: ${reason ?? 'unknown'}. ` +
      'Runs could read its answers. Name its files with --eval-files GLOB …; if there are none: --eval-files alone',
  );

const UNTRACED = 'no file system of this machine that was tried records access times (mount option noatime)';

/** The files that both commands opened, or the reason why they are unknown. */
function openedFiles(
  { run, evaluate, source: given }: SourceRequest,
  { source, tried, untraced }: { source: Source; tried: ProgramRun; untraced: boolean },
): { opened: OpenedFiles | null; unseen: string | null } {
  if (evaluate === null) return { opened: null, unseen: null };
  if (untraced || tried.opened === null) return { opened: null, unseen: UNTRACED };
  const { opened } = tried;
  const texts = textsOf(source).filter(({ path }) => opened.run.has(path) || opened.evaluation.has(path));
  const commands = [run, evaluate].map((text) => ({ path: null, text }));
  const mention = findMention([...commands, ...texts], { roots: [source.root, resolve(given)], home: homedir() });
  if (mention === null) return { opened, unseen: null };
  const where = mention.path ?? 'a command';
  return {
    opened: null,
    unseen:
      `${where} names ${mention.folder}, and the files that a program opens there are not observed ` +
      '(a run in a sandbox does not see them; use relative paths)',
  };
}

function factsOf(
  { run, evaluate, runFiles }: SourceRequest,
  { source, mutable, opened }: { source: Source; mutable: readonly string[]; opened: OpenedFiles | null },
): Omit<Parameters<typeof assignFiles>[1], 'held'> {
  const paths = source.files.map(({ path }) => path);
  const ran = filesNamedIn(run, paths);
  // An empty file tells runs nothing, and a program may read none of it.
  const empty = source.files.filter(({ content }) => content.length === 0).map(({ path }) => path);
  return {
    mutable: new Set(mutable),
    namedByEvaluation: new Set(evaluate === null ? [] : filesNamedIn(evaluate, paths)),
    kept: new Set([...matching(source, runFiles), ...empty, ...(opened === null ? [] : ran)]),
    imported: opened === null ? new Set() : importedFiles([...mutable, ...ran, ...opened.run], textsOf(source)),
    opened,
  };
}

const textsOf = ({ files }: Source): { path: string; text: string }[] =>
  files.flatMap(({ path, content }) => {
    const text = decodeText(content);
    return text === null ? [] : [{ path, text }];
  });

interface Tried {
  tried: ProgramRun | null;
  leftovers: string[];
  untraced: boolean;
}

interface UnknownProgram extends Pick<Program, 'files' | 'env' | 'parents' | 'onEnded'> {
  /** Files that only the evaluation may read. */
  held: ReadonlySet<string>;
}

/**
 * Runs the program once, and removes outputs of an earlier run from its workspace: a later run that overwrites an
 * immutable file would be refused. If there were such outputs, runs the program once more without them.
 */
async function tryWithoutLeftovers(
  io: Io,
  request: SourceRequest,
  program: UnknownProgram & { isMutable: (path: string) => boolean },
): Promise<Tried> {
  const { files, isMutable } = program;
  const first = await runIfUnknown(io, request, program);
  const written = [...(first.tried?.writtenFiles ?? []).map(({ path }) => path), ...(request.artefacts ?? [])];
  const leftovers = files.map(({ path }) => path).filter((path) => written.includes(path) && !isMutable(path));
  if (first.tried === null || leftovers.length === 0) return { ...first, leftovers };
  printNote(io, `running it once more, without the files of an earlier run: ${summarizePaths(leftovers)}`);
  const others = files.filter(({ path }) => !leftovers.includes(path));
  return { ...(await runIfUnknown(io, request, { ...program, files: others })), leftovers };
}

/** Runs the unmodified program once; `tried` is null if its time, artefacts and files are given. */
async function runIfUnknown(
  io: Io,
  request: SourceRequest,
  { files, held, env, parents, onEnded }: UnknownProgram,
): Promise<Omit<Tried, 'leftovers'>> {
  const { run, evaluate, evalFiles, artefacts, seconds } = request;
  if (seconds !== null && (evaluate === null || (artefacts !== null && evalFiles !== null)))
    return { tried: null, untraced: false };
  printNote(io, `running it once, unmodified, to measure its time and to find its files: ${run}`);
  let untraced = false;
  const tried = await runProgramOnce(
    {
      command: run,
      files: files.filter(({ path }) => !held.has(path)),
      env,
      parents,
      evaluation: evaluate === null ? null : { command: evaluate, files: files.filter(({ path }) => held.has(path)) },
      onEnded,
      onUntraced: () => {
        untraced = true;
        if (evaluate !== null && evalFiles === null) throw unseenError(UNTRACED);
      },
    },
    io.signal ?? new AbortController().signal,
  );
  return { tried, untraced };
}
