import { configOf } from '../context.ts';
import { CliError, refused } from '../errors.ts';
import { inParallel } from '../in-parallel.ts';
import { printNote, printLine, printJson, type Io } from '../io.ts';
import { renderFleetCheck } from '../render/fleet-check.ts';
import { checkHost } from './check-host.ts';
import { createMixedGpuCheck } from './mixed-gpu-check.ts';
import { readFleet } from './read-fleet.ts';
import { createSameMachineCheck } from './same-machine-check.ts';

export interface CheckOptions {
  file: string;
  json?: boolean;
}

const isYaml = (word: string): boolean => /\.ya?ml$/.test(word);

/** Checks the named hosts of a fleet file end to end, or all of them. Throws CliError if a host cannot run trials. */
export async function checkFleet(io: Io, names: string[], { file, json }: CheckOptions): Promise<void> {
  const { hosts, pools } = await readFleet(file);
  const unknown = names.filter((name) => !hosts.some((host) => host.name === name));
  if (unknown.length > 0) {
    const another = unknown.find(isYaml);
    throw refused(
      `Expected hosts of ${file} (${hosts.map(({ name }) => name).join(', ')}), got ${unknown.join(', ')}.` +
        (another === undefined ? '' : ` To use that file: --file ${another}.`),
    );
  }
  const wanted = hosts.filter(({ name }) => names.length === 0 || names.includes(name));
  // An installation id of its own: if the check dies, its leftovers belong to no real installation.
  const caller = { installation: 'fleet-check', sshAgent: configOf(io).sshAgent };
  const notes = [createSameMachineCheck(), createMixedGpuCheck()];
  const checks = await inParallel(wanted, async (host) => {
    const pool = pools[host.pool];
    if (!pool) throw new Error(`the pool ${host.pool} of ${host.name} is not there`); // readFleet rejects such a file
    const done = await checkHost(host, pool, caller);
    for (const addTo of notes) addTo(done);
    if (json) printJson(io, done);
    else printNote(io, `${done.host}: ${done.ok ? 'works' : 'does not work'}`);
    return done;
  });
  if (!json) for (const line of renderFleetCheck(checks)) printLine(io, line);
  const failed = checks.filter(({ ok }) => !ok).map(({ host }) => host);
  if (failed.length > 0) throw new CliError('failed', `These hosts cannot run trials now: ${failed.join(', ')}.`);
}
