-- Runs once in the postgres container of docker-compose.yml, when its volume is empty.
-- Creates the database of Switchboard and its owner. The owner is not a superuser: it needs CREATEROLE only, because
-- Switchboard creates two roles that cannot bypass row-level security.
\getenv password SWITCHBOARD_PASSWORD
create role switchboard login nosuperuser nocreatedb createrole noreplication nobypassrls password :'password';
create database switchboard owner switchboard;
revoke all on database switchboard from public;
