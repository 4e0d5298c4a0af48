import { updateResearch as sendUpdate, type Update } from '../../steering/update-research.ts';
import { withTemporal } from '../context.ts';
import type { Io } from '../io.ts';

/** Sends an update to a research by a connection of its own, and returns its answer. Throws SteeringError. */
export const updateResearch = <Answer>(io: Io, update: Omit<Update, 'signal'>): Promise<Answer> =>
  withTemporal(io, (temporal) => sendUpdate<Answer>(temporal, { ...update, signal: io.signal }));
