export interface Tables {}
