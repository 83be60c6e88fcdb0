"""The course that every client runs: the same questions, asked in each way that the client has.

questions.py   what is asked, and what a course's parts are called
client.py      what a client is: a name, what it needs of the machine, and one function for each part of the course
all_clients.py all of them
compiled.py    clients in languages whose programs are compiled first
drivers/       one module for each client; those in other languages are programs beside their module
"""
