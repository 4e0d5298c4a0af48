import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { StreamName } from '../../../compute.ts';

/** The file of one stream of a run. Without separate streams, the common file counts as stdout. */
export const streamFile = (control: string, stream: StreamName): string =>
  join(control, stream === 'stdout' && !existsSync(join(control, 'stdout')) ? 'output' : stream);
