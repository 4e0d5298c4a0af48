/** What was sent with characters that no database or wire can hold, and came in without them. */
export const altered = new WeakSet<object>();
