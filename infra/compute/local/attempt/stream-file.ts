import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { StreamName } from '../../../compute.ts';

/** The file of one stream of a run. Where they are not apart, one file has both, and counts as stdout. */
export const streamFile = (control: string, stream: StreamName): string =>
  join(control, stream === 'stdout' && !existsSync(join(control, 'stdout')) ? 'output' : stream);
