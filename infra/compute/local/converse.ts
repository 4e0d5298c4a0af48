import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { RunGoneError, type Conversation, type RunEnd, type RunSpec } from '../../compute.ts';
import { confine } from '../run-protocol/confine.ts';
import type { Confinement } from '../run-protocol/confinement.ts';
import { stageForConversation } from './stage/damaged-stages.ts';
import type { LocalContext } from './context.ts';
import { readEnd } from './attempt/read-end.ts';
import { conversationEnd } from '../run-protocol/ending/parse-end.ts';
import { runEnvironment } from '../run-protocol/environment.ts';
import { localSandboxMounts } from './hide-folder.ts';
import { pythonOf } from './python.ts';
import { pathExists, readOptional } from '../../files.ts';
import { removeTree } from '../../remove-tree.ts';
import { controlsOf, endWithReason, GONE_MS, waitUntil } from './kill.ts';
import { notEndedError } from '../run-protocol/ending/not-ended-error.ts';
import type { Attempt } from '../run-protocol/paths.ts';
import { missingEndError } from '../run-protocol/ending/missing-end-error.ts';
import { stageIdOfRun, RunFile } from './attempt/run-file.ts';
import { jsonIn, stagePartsAt, readManifest } from './stage.ts';
import { changeOwner } from './attempt/change-owner.ts';
import { currentAttempt, stateOf } from './attempt/state.ts';
import { makeConversationFolder } from './attempt/conversation-folder.ts';
import { startSupervisor, writeControl } from './supervise.ts';
import { foldersToShow } from '../tools/folders-to-show.ts';

const TAIL = 16 * 1024;

/**
 * Starts the answering program in a folder of its own, read-only in a sandbox, with a `/tmp`: both go with it. It dies with
 * this process (end of the lifeline), and where its stderr exceeds the run's output limit.
 */
export async function converse(context: LocalContext, spec: RunSpec): Promise<Conversation> {
  const found = await currentAttempt(context.layout, spec);
  if (found?.status.state !== 'ended')
    throw notEndedError(context.host, spec, { verb: 'converse', state: found?.status.state ?? 'absent' });
  const { control, confinement } = await prepareTalk(context, spec, found.attempt);
  await endOlder(found.attempt, control);
  const started = await startSupervisor(await context.supervisor(), control, { talk: true });
  const { stdin, stdout, stderr, stdio } = started.process;
  const lifeline = stdio[3];
  // At once: when it ends, what nobody reads is thrown away.
  const output = new PassThrough();
  stdout?.pipe(output);
  if (!stdin || !stdout || !stderr || !lifeline) throw new Error('converse: expected four pipes to the supervisor');
  lifeline.on('error', ignoreClosed);
  stdin.on('error', ignoreClosed);
  const { outputBytes } = spec.limits;
  // Where this fails, the wall limit ends it.
  const said = hear(stderr, outputBytes, () => void endWithReason(control, 'output').catch(() => undefined));

  const tail = (): string => said.tail.toString('utf8');
  const ended = started.exited.then(async (): Promise<RunEnd> => {
    lifeline.destroy();
    stdin.destroy();
    const end = await endIn(control);
    for (const name of ['tmp', 'work']) await removeTree(join(dirname(control), name));
    if (!end && !(await pathExists(control))) throw new RunGoneError(context.host, { run: spec, state: 'absent' });
    if (!end) throw missingEndError({ host: context.host, confinement }, spec, tail());
    // It may have ended by itself, or by somebody who had enough of it, before it was stopped.
    const isFlood = said.bytes > outputBytes && (end.reason === 'exit' || end.reason === 'killed');
    const reason = isFlood ? 'output' : end.reason;
    return conversationEnd({ ...end, reason, outputBytes: said.bytes }, { host: context.host, run: spec });
  });
  // Whoever asks gets the error; nobody asking is no crash.
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
      // What nobody has read would keep its descriptor for ever.
      stdout.unpipe(output).resume();
      if (await pathExists(control)) await endWithReason(control, 'stopped');
      await ended.catch(() => undefined);
      output.end();
    },
    stderrTail: tail,
  };
}

/** Its end. One that was stopped before it began has it from whoever stopped it, and that may be at it still. */
async function endIn(control: string): Promise<RunEnd | undefined> {
  await waitUntil(async () => (await stateOf(control)).state !== 'claiming', GONE_MS);
  return readEnd(control);
}

// The program may end before it has read everything; the writer hears of it from write() itself.
const ignoreClosed = (): void => undefined;

interface Said {
  bytes: number;
  tail: Buffer;
}

// Closed beyond the limit, so that a flood costs no more than that; left full, it would hold up the end of the run.
function hear(stderr: Readable, limit: number, onFlood: () => void): Said {
  const said: Said = { bytes: 0, tail: Buffer.alloc(0) };
  stderr.on('data', (chunk: Buffer) => {
    said.bytes += chunk.length;
    said.tail = Buffer.from(Buffer.concat([said.tail, chunk]).subarray(-TAIL));
    if (said.bytes <= limit) return;
    stderr.destroy();
    onFlood();
  });
  return said;
}

/** Who began another conversation with this run sleeps, or was given up: it would compete for the slot. */
async function endOlder(attempt: Attempt, own: string): Promise<void> {
  const talks = (await controlsOf(attempt)).filter((control) => ![attempt.ctl, own].includes(control));
  for (const control of talks) if ((await stateOf(control)).state !== 'ended') await endWithReason(control, 'replaced');
}

async function prepareTalk(
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
  const own = await foldersToShow(context.tools, spec);
  const { data, files } = stagePartsAt(stage);
  const python = await pythonOf(context, spec.environment);
  const manifest = (await readManifest(attempt.directory, files)) ?? (await readManifest(stage, files));
  try {
    await mkdir(directory, { mode: 0o711 });
    for (const folder of [work, tmp, root]) await mkdir(folder, { mode: 0o700 });
    await makeConversationFolder(work, { files, work: attempt.work, manifest, spec });
    if (uid !== null) await Promise.all([changeOwner(work, uid), changeOwner(tmp, uid)]);
  } catch (error) {
    // On a disk that is full each try would leave it fuller.
    await removeTree(directory);
    throw error;
  }
  const folders = { work, tmp: confinement.sandboxed ? '/tmp' : tmp };
  await writeControl(control, {
    control,
    work,
    tmp,
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
    ...(await localSandboxMounts(context, { data, own: [...own, ...(python?.show ?? [])] })),
    supervisor: await context.supervisor(),
  });
  return { control, confinement };
}

/** The user of the run's files, by its spec: another version may have given the slot another one. */
async function ownerOf({ ctl }: Attempt): Promise<number | undefined> {
  const [, uid] = /^uid='(\d+)'$/m.exec((await readOptional(join(ctl, 'spec'))) ?? '') ?? [];
  return uid === undefined ? undefined : Number(uid);
}
