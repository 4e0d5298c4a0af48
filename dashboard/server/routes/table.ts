import type { AnyRoute } from '../route.ts';
import { setup } from './setup.ts';

/** Every resource below `api/v1/`. */
export const ROUTES: readonly AnyRoute[] = [setup];
