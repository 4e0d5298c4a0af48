import { chmod, mkdir } from 'node:fs/promises';
import { foldersIn, gatewaySocketIn, type EvaluatorSandbox } from '../compute/local/evaluator-sandbox.ts';
import type { EvaluateSpec } from '../evaluate.ts';
import { anyDirectory } from '../evaluate/lay-out.ts';
import { socketPathProblem } from './serve-socket.ts';

/** Reason why evaluators of a home can have no way to models, with the remedy; null if they can. */
export async function gatewayProblem(home: string, sandbox: EvaluatorSandbox): Promise<string | null> {
  if (await sandbox.hasOwnLoopback()) return socketPathProblem(gatewaySocketIn(anyDirectory(home)));
  return (
    "expected a sandbox with a network of its own for evaluators on the worker's machine, since an evaluator reaches " +
    'only the model gateway there; found none. To see the reason: npx perpetua doctor'
  );
}

/** Serves the gateway to an evaluation while `work` runs it, if it has one. */
export async function withGateway<T>({ gateway }: EvaluateSpec, directory: string, work: () => Promise<T>): Promise<T> {
  if (!gateway) return work();
  const folder = foldersIn(directory).gateway;
  await mkdir(folder);
  // The sandbox's user enters it. Others cannot, since the directory above belongs to this user alone.
  await chmod(folder, 0o755);
  const open = await gateway.serve(gatewaySocketIn(directory));
  try {
    return await work();
  } finally {
    await open.close();
  }
}
