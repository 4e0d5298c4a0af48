import { asSettings } from '../../../domain/method/axis.ts';
import type { Specialist } from '../../../domain/search/specialist/specialist.ts';
import { makerOfTrial } from '../begin.ts';
import type { ProposeContext } from '../propose-context.ts';

/** The specialist that makes the proposal of a trial; null if its proposer may change everything. */
export function specialistOf({ trial, version }: ProposeContext): Specialist | null {
  const { method, settings } = makerOfTrial(trial, version.task);
  return method.specialist?.(asSettings(settings)) ?? null;
}
