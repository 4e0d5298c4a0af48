import type { Task } from '../../domain/task/task.ts';
import { findInstallation } from '../../db/queries/research.ts';
import type { Compute, Protections } from '../../infra/compute.ts';
import { configOf, withDb } from '../context.ts';
import type { Io } from '../io.ts';

/** This machine as a host of runs, under the installation of the database. */
export async function openCompute(io: Io): Promise<Compute> {
  const { createLocalCompute } = await import('../../infra/compute/local.ts');
  const { home } = await configOf(io);
  return createLocalCompute({ home, installation: (await withDb(io, findInstallation)).id });
}

/** What this machine can enforce for a task. */
export async function readProtections(io: Io, task: Task): Promise<Protections> {
  return (await openCompute(io)).protections(task.run.sandbox ?? 'preferred');
}
