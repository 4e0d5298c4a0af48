import type { AnyRoute } from '../route.ts';
import { events } from './events.ts';
import { research } from './research.ts';
import { researches } from './researches.ts';
import { series } from './series.ts';
import { setup } from './setup.ts';
import { spend } from './spend.ts';

/** Every resource below `api/v1/`. */
export const ROUTES: readonly AnyRoute[] = [setup, researches, research, series, events, spend];
