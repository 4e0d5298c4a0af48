import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { RunGoneError, type Conversation, type RunEnd, type RunSpec } from '../../compute.ts';
import { confine } from '../run-protocol/confinement/confine.ts';
import type { Confinement } from '../run-protocol/confinement/confinement.ts';
import { stageForConversation } from './stage/damaged-stages.ts';
import type { LocalContext } from './context.ts';
import { readEnd } from './attempt/read-end.ts';
import { conversationEnd } from '../run-protocol/ending/parse-end.ts';
import { runEnvironment } from '../run-protocol/environment.ts';
import { localSandboxMounts } from './hide-folder.ts';
import { pythonOf } from './python.ts';
import { pathExists, readOptional } from '../../files.ts';
import { makeOpenFolder } from '../../make-open-folder.ts';
import { removeTree } from '../../remove-tree.ts';
import { controlsOf, endWithReason, GONE_MS, waitUntil } from './kill.ts';
import { notEndedError } from '../run-protocol/ending/not-ended-error.ts';
import type { Attempt } from '../run-protocol/paths.ts';
import { newShortTmp } from '../run-protocol/short-tmp.ts';
import { missingEndError } from '../run-protocol/ending/missing-end-error.ts';
import { stageIdOfRun, RunFile } from './attempt/run-file.ts';
import { jsonIn, stagePartsAt, readManifest } from './stage.ts';
import { changeOwner } from './attempt/change-owner.ts';
import { currentAttempt, stateOf } from './attempt/state.ts';
import { makeConversationFolder } from './attempt/conversation-folder.ts';
import { startSupervisor, writeControl } from './supervise.ts';
import { foldersToShow } from '../tools/folders-to-show.ts';

/** Bytes of stderr that are kept. */
const TAIL = 16 * 1024;

/**
 * Starts the conversation's program in a fresh folder, read-only in a sandbox, with a fresh `/tmp`; both are removed at
 * the end. The program ends when this process dies (the lifeline closes), or when its stderr exceeds the run's output
 * limit.
 */
export async function converse(context: LocalContext, spec: RunSpec): Promise<Conversation> {
  const found = await currentAttempt(context.layout, spec);
  if (found?.status.state !== 'ended')
    throw notEndedError(context.host, spec, { verb: 'converse', state: found?.status.state ?? 'absent' });
  const { control, confinement } = await prepareConversation(context, spec, found.attempt);
  await endOlder(found.attempt, control);
  const started = await startSupervisor(await context.supervisor(), control, { talk: true });
  const { stdin, stdout, stderr, stdio } = started.process;
  const lifeline = stdio[3];
  // Piped at once: output that has no reader when the program ends would be lost.
  const output = new PassThrough();
  stdout?.pipe(output);
  if (!stdin || !stdout || !stderr || !lifeline) throw new Error('converse: expected four pipes to the supervisor');
  lifeline.on('error', ignoreClosed);
  stdin.on('error', ignoreClosed);
  const { outputBytes } = spec.limits;
  // If this fails, the wall limit ends the program.
  const endForFlood = (): void => void endWithReason(control, 'output').catch(() => undefined);
  const errors = readErrors(stderr, outputBytes, endForFlood);

  const tail = (): string => errors.tail.toString('utf8');
  const ended = started.exited.then(async (): Promise<RunEnd> => {
    lifeline.destroy();
    stdin.destroy();
    const end = await endIn(control);
    for (const name of ['tmp', 'work']) await removeTree(join(dirname(control), name));
    if (!end && !(await pathExists(control))) throw new RunGoneError(context.host, { run: spec, state: 'absent' });
    if (!end) throw missingEndError({ host: context.host, confinement }, spec, tail());
    // After a flood, the program may have exited, or been killed, before the supervisor ended it for that.
    const isFlood = errors.bytes > outputBytes && (end.reason === 'exit' || end.reason === 'killed');
    const reason = isFlood ? 'output' : end.reason;
    return conversationEnd({ ...end, reason, outputBytes: errors.bytes }, { host: context.host, run: spec });
  });
  // Prevents an unhandled rejection if nobody awaits `ended`.
  ended.catch(() => undefined);
  return {
    host: context.host,
    confinement,
    write: (chunk) =>
      new Promise((resolve, reject) => stdin.write(chunk, (error) => (error ? reject(error) : resolve()))),
    end: () => stdin.end(),
    output,
    ended,
    stop: async () => {
      // Discards unread output: otherwise the pipe would stay open and keep its descriptor.
      stdout.unpipe(output).resume();
      if (await pathExists(control)) await endWithReason(control, 'stopped');
      await ended.catch(() => undefined);
      output.end();
    },
    stderrTail: tail,
  };
}

/** Reads the end. If the program was stopped before it began, the caller that stopped it may still write the end. */
async function endIn(control: string): Promise<RunEnd | undefined> {
  await waitUntil(async () => (await stateOf(control)).state !== 'claiming', GONE_MS);
  return readEnd(control);
}

// The program may end before it has read everything; write() itself reports that to the writer.
const ignoreClosed = (): void => undefined;

/** The standard error of a program: bytes read so far, and the last of them. */
interface Errors {
  bytes: number;
  tail: Buffer;
}

// Closes stderr beyond the limit, so that a flood costs no more. A full pipe that nobody reads would block the program.
function readErrors(stderr: Readable, limit: number, onFlood: () => void): Errors {
  const errors: Errors = { bytes: 0, tail: Buffer.alloc(0) };
  stderr.on('data', (chunk: Buffer) => {
    errors.bytes += chunk.length;
    errors.tail = Buffer.from(Buffer.concat([errors.tail, chunk]).subarray(-TAIL));
    if (errors.bytes <= limit) return;
    stderr.destroy();
    onFlood();
  });
  return errors;
}

/** Ends older conversations with the run, whose callers hang or were abandoned; they would compete for the slot. */
async function endOlder(attempt: Attempt, current: string): Promise<void> {
  const older = (await controlsOf(attempt)).filter((control) => ![attempt.ctl, current].includes(control));
  for (const control of older) if ((await stateOf(control)).state !== 'ended') await endWithReason(control, 'replaced');
}

async function prepareConversation(
  context: LocalContext,
  spec: RunSpec,
  attempt: Attempt,
): Promise<{ control: string; confinement: Confinement }> {
  const begun = RunFile.safeParse(await jsonIn(join(attempt.directory, 'run.json')));
  const stage = await stageForConversation(context.layout, { hash: spec.stageHash, id: stageIdOfRun(begun.data) });
  if (stage === undefined) throw new RunGoneError(context.host, { run: spec, state: 'without its workspace' });
  const directory = join(attempt.directory, `talk-${randomUUID()}`);
  const at = (name: string): string => join(directory, name);
  const [control, work, tmp, root] = [at('ctl'), at('work'), at('tmp'), at('root')];
  const { confinement, uid } = await confine(context, spec, await ownerOf(attempt));
  const taskFolders = await foldersToShow(context.tools, spec);
  const { data, files } = stagePartsAt(stage);
  const python = await pythonOf(context, spec.environment);
  const manifest = (await readManifest(attempt.directory, files)) ?? (await readManifest(stage, files));
  try {
    makeOpenFolder(directory, 0o711);
    for (const folder of [work, tmp, root]) await mkdir(folder, { mode: 0o700 });
    await makeConversationFolder(work, { files, work: attempt.work, manifest, spec });
    if (uid !== null) await Promise.all([changeOwner(work, uid), changeOwner(tmp, uid)]);
  } catch (error) {
    // Without this, each retry on a full disk would fill it further.
    await removeTree(directory);
    throw error;
  }
  const folders = { work, tmp: confinement.sandboxed ? '/tmp' : tmp };
  await writeControl(control, {
    control,
    work,
    tmp,
    short: confinement.sandboxed ? undefined : newShortTmp(),
    root,
    fence: spec.fence,
    talk: true,
    command: spec.command,
    env: runEnvironment(context, { ...spec, data, python }, folders),
    limits: spec.limits,
    staged: files,
    laid: spec.files,
    confinement,
    uid,
    ...(await localSandboxMounts(context, [...taskFolders, ...(python?.show ?? []), data])),
    supervisor: await context.supervisor(),
  });
  return { control, confinement };
}

/** The uid that owns the run's files, by the run's spec: another version may give the slot another uid. */
async function ownerOf({ ctl }: Attempt): Promise<number | undefined> {
  const [, uid] = /^uid='(\d+)'$/m.exec((await readOptional(join(ctl, 'spec'))) ?? '') ?? [];
  return uid === undefined ? undefined : Number(uid);
}
