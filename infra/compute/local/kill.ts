import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunRef } from '../../compute.ts';
import type { LocalContext } from './context.ts';
import { pathExists, listNames, readOptional } from '../../files.ts';
import { killMembers, membersOf } from './kill/members.ts';
import { isAlive, isThisBoot, readOwner, signalOwner } from './attempt/owner.ts';
import { runDirectory, type Attempt } from '../run-protocol/paths.ts';
import { attemptsOf, stateOf } from './attempt/state.ts';

/** Longest wait for processes to be gone after a signal. */
export const GONE_MS = 10_000;
/** Marker file: no process of a lost run lives. A later scan for its uid could match processes of another run. */
const GONE = 'gone';
/** File into which an end is written before it is renamed to `ended.json`. */
const END = 'ended.tmp';

/**
 * Ends every attempt of a run up to a fence, with its conversations, and confirms that; leaves higher fences alone. A
 * lost run stays lost, but none of its processes lives any more. Call this before another run gets the slot.
 */
export async function kill(context: LocalContext, run: RunRef, fence: number): Promise<void> {
  const attempts = (await attemptsOf(runDirectory(context.layout, run))).filter((attempt) => attempt.fence <= fence);
  for (const attempt of attempts) {
    for (const control of await controlsOf(attempt)) await killControl(control);
  }
}

/** The control directories of an attempt and of its conversations. */
export async function controlsOf({ directory, ctl }: Attempt): Promise<string[]> {
  const controls = [ctl];
  for (const name of await listNames(directory)) {
    const control = join(directory, name, 'ctl');
    // A conversation without a control directory never began: its worker died while making the folder.
    if (name.startsWith('talk-') && (await pathExists(control))) controls.push(control);
  }
  return controls;
}

/** Ends a run or conversation for a reason that its supervisor then records, unless an earlier reason stands. */
export async function endWithReason(control: string, reason: 'output' | 'stopped' | 'replaced'): Promise<void> {
  await writeReason(control, reason);
  await killControl(control);
}

/** Puts the reason in place with a link, so that the supervisor, which may read it at any time, never reads a part. */
async function writeReason(control: string, reason: string): Promise<void> {
  if (await pathExists(join(control, 'reason'))) return;
  const draft = join(control, `because-${randomUUID()}`);
  // Only one process can take the spare file; any other one needs a new inode.
  if (await unlessGone(rename(join(control, 'reason.spare'), draft))) {
    await overwrite(draft, `${reason}\n`);
  } else await writeFile(draft, `${reason}\n`);
  await link(draft, join(control, 'reason')).catch(async (error: NodeJS.ErrnoException) => {
    // On file systems where a link takes an inode, replaces the reason that another process may have written meanwhile.
    if (error.code === 'ENOSPC') await rename(draft, join(control, 'reason'));
    else if (error.code !== 'EEXIST') throw error;
  });
}

// Writes into the existing blocks of a file: a run may have left no free block of its disk.
async function overwrite(file: string, text: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.write(text, 0);
  } finally {
    await handle.close();
  }
}

/** Returns false if the file was not there. */
async function unlessGone(work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Ends the run of a control directory: TERM to its supervisor, which gives the grace; then KILL; then leftovers. */
export async function killControl(control: string): Promise<void> {
  let status = await stateOf(control);
  if (status.state === 'staged') {
    if (await forbid(control)) return;
    status = await stateOf(control);
  }
  // With a stalled disk, the run may begin after this call returns; the reason then makes it end itself.
  if (status.state === 'claiming' || (status.state === 'lost' && !(await ownerOf(control))))
    await writeReason(control, 'killed');
  if (status.state === 'claiming') {
    await waitUntil(async () => (await stateOf(control)).state !== 'claiming', GONE_MS);
    status = await stateOf(control);
    if (status.state === 'claiming') await signalClaimer(control);
  }
  if (status.state === 'ended') return;
  if (status.state === 'running') {
    await signalOwner(status.owner, 'SIGTERM');
    const grace = await graceMs(control);
    if (await waitUntil(async () => (await stateOf(control)).state !== 'running', grace + GONE_MS)) {
      if ((await stateOf(control)).state === 'ended') return;
    } else await signalOwner(status.owner, 'SIGKILL');
  }
  await killLeftovers(control);
}

async function signalClaimer(control: string): Promise<void> {
  const owner = await ownerOf(control);
  if (owner) await signalOwner(owner, 'SIGKILL');
}

const ownerOf = (control: string) => readOwner(join(control, 'claim', 'owner'));

/** Kills the processes that a dead supervisor left: process 1 of a namespace, which ends the rest, or all by a scan. */
async function killLeftovers(control: string): Promise<void> {
  const init = await readOwner(join(control, 'init'));
  if (init && (await signalOwner(init, 'SIGKILL')) && !(await waitUntil(async () => !(await isAlive(init)), GONE_MS)))
    throw new Error(`kill: expected process ${init.pid} of ${control} to be gone within ${GONE_MS / 1000} s`);
  if (await hasNoProcesses(control)) return;
  await killMembers(control);
  // Reuses the file for the end, which no supervisor will write: the run may have left no free inode.
  if (!(await unlessGone(rename(join(control, END), join(control, GONE))))) await writeFile(join(control, GONE), '');
}

/** True if no process can live: killed before, never started (the claim has no owner), or ended by a reboot. */
export async function hasNoProcesses(control: string): Promise<boolean> {
  if (await pathExists(join(control, GONE))) return true;
  const owner = await ownerOf(control);
  return !owner || !(await isThisBoot(owner));
}

// Takes the claim of a staged run, so that a late supervisor finds it taken. False if a supervisor was faster.
async function forbid(control: string): Promise<boolean> {
  const claim = join(control, 'claim');
  let taken = true;
  try {
    await mkdir(claim);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (code !== 'ENOSPC' || !(await pathExists(join(control, END)))) throw error;
    taken = false;
  }
  const end = {
    reason: (await readOptional(join(control, 'reason')))?.trim() || 'killed',
    code: 143,
    startedAt: new Date().toISOString(),
    wallCs: 0,
    user: '0m0s',
    system: '0m0s',
    maxRssKb: 0,
    ticks: 0,
    containment: 'process-group',
    sandboxed: 0,
    treeGone: true,
  };
  const draft = join(control, END);
  const ended = join(control, 'ended.json');
  // Older versions made no such file.
  if (!(await pathExists(draft))) await writeFile(draft, '');
  await overwrite(draft, `${JSON.stringify(end)}\n`);
  await rename(draft, ended);
  // A supervisor claims, then checks for an end. If both happen at once, at least one side sees the other.
  if (taken || !(await pathExists(claim))) return true;
  await rename(ended, draft);
  return false;
}

/** The grace of a run in milliseconds; its spec has centiseconds. */
async function graceMs(control: string): Promise<number> {
  const match = /^grace='(\d+)'$/m.exec(await readFile(join(control, 'spec'), 'utf8'));
  return Number(match?.[1] ?? 0) * 10;
}

/** Polls a condition; returns its last value, false after the time. */
export async function waitUntil(condition: () => Promise<boolean>, ms: number): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end;) {
    if (await condition()) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return condition();
}

/** The control directories of attempts and conversations with living processes. */
export async function livingControls(attempts: Attempt[]): Promise<string[]> {
  const living: string[] = [];
  for (const attempt of attempts)
    for (const control of await controlsOf(attempt)) if (await lives(control)) living.push(control);
  return living;
}

async function lives(control: string): Promise<boolean> {
  const init = await readOwner(join(control, 'init'));
  const { state } = await stateOf(control);
  if (state === 'running' || state === 'claiming' || (init && (await isAlive(init)))) return true;
  return state === 'lost' && !(await hasNoProcesses(control)) && (await membersOf(control)).length > 0;
}
