"""The tables of revision 0001, one module a group; later revisions change them and leave these modules as they are."""
