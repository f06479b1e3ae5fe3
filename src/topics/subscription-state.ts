/**
 * Returns SQL for the state of the subscription `s` to the topic `t`. There may be no row `s`. `address` is an SQL
 * expression. With double opt-in, a subscription that was confirmed at a different address is still pending. When
 * `address` is null, addresses are not compared.
 */
export function stateOf(address: string): string {
  return `case when s.state = 'subscribed' and t.double_opt_in and s.confirmation_address <> ${address} then 'pending'
     else coalesce(s.state, case when t.opted_in then 'subscribed' else 'unsubscribed' end) end`;
}
