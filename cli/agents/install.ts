import { installAgent } from '../../infra/agent/install-agent.ts';
import { NoSpaceError } from '../../infra/trainer/install-trainer.ts';
import { NoInterpreterError } from '../../infra/trainer/interpreter.ts';
import { configOf } from '../context.ts';
import { CliError, refused } from '../errors.ts';
import { printJson, printLine, printNote, type Io } from '../io.ts';
import { pickAgent } from './pick-agent.ts';

/** `perpetua agents install`. */
export async function install(io: Io, { name, json }: { name: string; json?: boolean }): Promise<void> {
  const agent = pickAgent(name);
  const { packageRoot, trainer, agentCache: cache, env } = configOf(io);
  const tell = (line: string) => (json ? printNote : printLine)(io, `· ${line}`);
  const options = { packageRoot, trainer, cache, env, tell, ...(io.signal && { signal: io.signal }) };
  const { folder, made } = await installAgent(agent, options).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof NoSpaceError || error instanceof NoInterpreterError) throw refused(message);
    throw new CliError('failed', `${agent} is not installed: ${message}`);
  });
  if (json) printJson(io, { name: agent, folder, made });
  else printLine(io, made ? `✓ in ${folder}` : `✓ installed already in ${folder}`);
}
