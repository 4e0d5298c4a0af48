/** State of a learning step. `empty`: its batch taught nothing. */
export type UpdateState = 'due' | 'done' | 'empty' | 'refused' | 'failed';
