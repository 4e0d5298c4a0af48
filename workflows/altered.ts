/** Message arguments from which the payload converter removed characters that a database or the wire cannot hold. */
export const altered = new WeakSet<object>();
