import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, isGrpcServiceError } from '@temporalio/client';

/** Search attributes of Perpetua's workflows, with their types. */
export const SEARCH_ATTRIBUTES = {
  PerpetuaTask: 'Keyword',
  PerpetuaPhase: 'Keyword',
  PerpetuaBest: 'Double',
  PerpetuaTrials: 'Int',
} as const;
// temporal.api.enums.v1.IndexedValueType
const TYPE_NUMBERS = { Keyword: 2, Int: 3, Double: 4 } as const;
// Longest wait for a new attribute: the parts of the server refresh their lists every few seconds.
const USABLE_WITHIN_MS = 30_000;
const INVALID_ARGUMENT = 3;
/**
 * gRPC codes of a server that refuses the registration: invalid argument, not found, permission denied, resource
 * exhausted, failed precondition, unimplemented.
 */
const REFUSALS = [INVALID_ARGUMENT, 5, 7, 8, 9, 12];

export type Registration = { registered: true; reason: null } | { registered: false; reason: string };

/**
 * Registers Perpetua's search attributes in the client's namespace; idempotent. If the server refuses, returns the
 * reason. Throws if the server cannot be reached.
 */
export async function registerSearchAttributes(client: Client): Promise<Registration> {
  const { namespace } = client.options;
  try {
    const present = await listTypes(client);
    const wrong = Object.entries(SEARCH_ATTRIBUTES).find(
      ([name, type]) => (present.get(name) ?? TYPE_NUMBERS[type]) !== TYPE_NUMBERS[type],
    );
    if (wrong)
      return {
        registered: false,
        reason:
          `${wrong[0]} exists in namespace ${namespace} with another type than ${wrong[1]}: ` +
          'remove or rename it there, or set TEMPORAL_NAMESPACE to another namespace',
      };
    const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => !present.has(name));
    if (missing.length === 0) return { registered: true, reason: null };
    await client.connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map(([name, type]) => [name, TYPE_NUMBERS[type]])),
    });
    return (await becomeUsable(client))
      ? { registered: true, reason: null }
      : { registered: false, reason: `registered, but not usable after ${USABLE_WITHIN_MS / 1000} s` };
  } catch (error) {
    if (!isGrpcServiceError(error) || !REFUSALS.includes(error.code)) throw error;
    const names = Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => `${name}=${type}`);
    return { registered: false, reason: `${error.details}. Register in namespace ${namespace}: ${names.join(', ')}` };
  }
}

async function listTypes(client: Client): Promise<Map<string, number>> {
  const { customAttributes } = await client.connection.operatorService.listSearchAttributes({
    namespace: client.options.namespace,
  });
  return new Map(Object.entries(customAttributes ?? {}));
}

/** Waits until the server resolves the names, since a workflow that uses an attribute earlier fails its task. */
async function becomeUsable(client: Client): Promise<boolean> {
  const query = 'PerpetuaTask = "x" AND PerpetuaPhase = "x" AND PerpetuaBest > 0 AND PerpetuaTrials > 0';
  const deadline = performance.now() + USABLE_WITHIN_MS;
  while (performance.now() < deadline) {
    try {
      await client.workflowService.countWorkflowExecutions({ namespace: client.options.namespace, query });
      return true;
    } catch (error) {
      if (!isGrpcServiceError(error) || (error.code as number) !== INVALID_ARGUMENT) throw error;
      await sleep(250);
    }
  }
  return false;
}
