import { asSettings } from '../../domain/method/axis.ts';
import type { AskedAgent } from '../../domain/search/proposer/command.ts';
import { makersOf } from '../../domain/search/proposer/makers.ts';
import { findAgent } from '../../infra/agent/find-agent.ts';
import { configOf } from '../context.ts';
import type { Io } from '../io.ts';

/** Coding agents of a proposer that are not installed, each with its remedy: `start` would refuse the task. */
export function missingAgents(io: Io, proposer: unknown): string[] {
  const { packageRoot, agentCache: cache } = configOf(io);
  return makersOf(proposer)
    .filter(({ method }) => method.runs === 'job')
    .flatMap(({ settings }) => {
      const { agent }: AskedAgent = asSettings(settings);
      const found = typeof agent === 'string' ? findAgent(agent, { packageRoot, cache }) : null;
      return found !== null && 'missing' in found ? [found.missing] : [];
    });
}
