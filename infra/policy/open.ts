import type { Policy } from '../policy.ts';
import { createPolicy } from './create.ts';
import { createEndpointPolicy } from './endpoint/create.ts';
import type { PolicyOptions } from './options.ts';

/** The policies of this machine: of the server that is named, else of servers that are started here. */
export const openPolicy = (options: PolicyOptions): Policy =>
  options.trainer.endpoint === null
    ? createPolicy(options)
    : createEndpointPolicy({ home: options.home, endpoint: options.trainer.endpoint });
