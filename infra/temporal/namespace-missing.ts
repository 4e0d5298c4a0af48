import { shellWord } from '../../domain/text/shell-word.ts';

interface Place {
  /** host:port of the server. */
  address: string;
  namespace: string;
}

/** Code with which gRPC reports an unknown namespace. */
export const NOT_FOUND = 5;

/** Error: a Temporal server lacks the namespace. The message says what to do. */
export class NamespaceMissingError extends Error {
  override readonly name = 'NamespaceMissingError';
  constructor(place: Place, options?: ErrorOptions) {
    const { address, namespace } = place;
    super(`Temporal at ${address} has no namespace ${namespace}. ${namespaceAdvice(place)}.`, options);
  }
}

/** Instruction for a missing namespace, as a sentence without its full stop. */
export const namespaceAdvice = ({ address, namespace }: Place): string =>
  'Correct TEMPORAL_NAMESPACE, or create the namespace: ' +
  `\`temporal operator namespace create --namespace ${shellWord(namespace)} --address ${shellWord(address)}\``;
