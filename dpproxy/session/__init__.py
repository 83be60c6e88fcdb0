"""One client's session, without IO: bytes in, bytes out, and questions to the front and to `private_backend`.

every message       relay, passing_messages, settled_texts, message_names, simple_query, prerequisites, client_encoding
what may run        gate, postgres_parser, allowed_statements, verdicts, relations_read, wrapping_statements,
                    set_config_calls, setting_parameters, created_relations
the front's part    front_pipeline, expected_replies, replies, shown_errors, error_messages, row_descriptions
what is remembered  session_state, pipelined_names, session_context
a private Bind      private_bind, bound_statement, front_lookup, front_facts, kept_lookup, own_statements, own_tables,
                    swapped_statement, row_destinations, dry_run, type_names, quoting
who answers         private_backend (asked), analyst_backend (answers), analyst_context, kept_plans, made_plans,
                    dp_tables
"""
